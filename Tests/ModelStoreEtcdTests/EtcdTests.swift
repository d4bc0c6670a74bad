#if Etcd
import Testing

/// Tests with servers. One at a time, because each waits for the disk, and a busy disk makes calls time out.
@Suite(.serialized) enum EtcdTests {}
#endif
