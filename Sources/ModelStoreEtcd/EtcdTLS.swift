#if Etcd
import NIOSSL

/// The certificates with which an etcd cluster and its clients know each other.
public struct EtcdTLS: Sendable {
    private let authority: String
    private let certificate: String?
    private let key: String?

    /// Names files in PEM form.
    ///
    /// - Parameters:
    ///   - authority: the certificate of the authority that has signed those of the cluster.
    ///   - certificate: the certificate of this client; nil if the cluster asks for none.
    ///   - key: the private key of this client; nil if the cluster asks for none.
    public static func files(authority: String, certificate: String? = nil, key: String? = nil) -> EtcdTLS {
        EtcdTLS(authority: authority, certificate: certificate, key: key)
    }

    func context() throws -> NIOSSLContext {
        var options = TLSConfiguration.makeClientConfiguration()
        options.trustRoots = .file(authority)
        options.applicationProtocols = ["h2"]
        if let certificate {
            options.certificateChain = try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
        }
        if let key { options.privateKey = .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)) }
        return try NIOSSLContext(configuration: options)
    }
}
#endif
