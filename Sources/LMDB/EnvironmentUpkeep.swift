internal import Dispatch

extension LMDBEnvironment {
    /// Frees the slots of readers whose process died, which keep old pages from being used again. For timers.
    @discardableResult
    package func clearStaleReaders() throws(LMDBError) -> Int {
        var cleared: Int32 = 0
        let code = unsafe Calls.checkReaders(handle.pointer, cleared: &cleared)
        guard code == 0 else { throw failure(code, "mdb_reader_check") }
        return Int(cleared)
    }

    /// Who has a slot of the reader table, in all processes.
    package func readers() throws(LMDBError) -> [LMDBReader] {
        var text = ""
        let code = unsafe Calls.listReaders(handle.pointer, into: &text)
        guard code >= 0 else { throw failure(code, "mdb_reader_list") }
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard words.count == 3, let processID = Int32(words[0]), let threadID = UInt(words[1], radix: 16) else {
                return nil
            }
            return LMDBReader(processID: processID, threadID: threadID, transactionID: Int(words[2]))
        }
    }

    package func info() throws(LMDBError) -> LMDBInfo {
        var info: LMDBInfo?
        let bytes = unsafe SystemCalls.byteCount(of: Calls.fileDescriptor(of: handle.pointer)) ?? 0
        let code = unsafe Calls.info(handle.pointer, fileBytes: bytes, into: &info)
        guard code == 0, let info else { throw failure(code, "mdb_env_info") }
        return info
    }

    /// Copies the newest commit to an empty directory; compacting leaves free pages out.
    package func copy(to directory: String, compacting: Bool) throws(LMDBError) {
        let code = unsafe Calls.copy(handle.pointer, to: directory, compacting: compacting)
        guard code == 0 else { throw failure(code, "mdb_env_copy2") }
    }

    /// Enlarges the map once all transactions of this process have ended; new ones wait meanwhile.
    package func grow(to mapSize: Int, waitingAtMost seconds: Double) throws(LMDBError) {
        let deadline = DispatchTime.now() + seconds
        let outcome = try gate.exclusively(thread: SystemCalls.currentThread, until: deadline) { () throws(LMDBError) in
            let code = unsafe Calls.setMapSize(handle.pointer, mapSize)
            guard code == 0 else { throw failure(code, "mdb_env_set_mapsize") }
        }
        switch outcome {
        case .success: return
        case .failure(.refused(let refusal)): throw refused(refusal, "mdb_env_set_mapsize")
        case .failure(.timedOut(let running)):
            throw LMDBError(
                .growthBlocked, operation: "mdb_env_set_mapsize", path: path,
                detail: "\(running) transactions of this process still ran after \(seconds) s",
                remedy: "End them, then grow")
        }
    }
}
