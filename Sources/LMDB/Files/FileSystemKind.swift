/// The file systems on which LMDB does not work: machines that use them do not share a page cache and locks.
enum FileSystemKind {
    /// Returns the name of the network file system with this `statfs` magic number; nil for a local one.
    static func networkName(magic: UInt32) -> String? {
        switch magic {
        case 0x6969: "NFS"
        case 0x517B, 0xFF53_4D42, 0xFE53_4D42: "SMB"
        case 0x5346_414F, 0x6B41_4653: "AFS"
        case 0x7375_7245: "Coda"
        case 0x564C: "NCP"
        case 0x00C3_6400: "Ceph"
        case 0x0BD0_0BD0: "Lustre"
        case 0x4750_4653: "GPFS"
        case 0x0116_1970: "GFS2"
        case 0x7461_636F: "OCFS2"
        case 0x0102_1997: "9P"
        // Sshfs, Gluster and shared folders of virtual machines all report FUSE, which hides the actual file system.
        case 0x6573_5546: "FUSE"
        default: nil
        }
    }
}
