// Clusters of masters.
import { float } from '../../data/mod.ts'
import { later, type OptionTable } from '../option.ts'

export const CLUSTER = {
  cluster_id: { type: 'str', master: null, doc: 'Name of the cluster' },
  cluster_peers: { type: 'list', master: [], doc: 'The other masters of the cluster; this one may be among them' },
  cluster_pki_dir: {
    type: 'str',
    master: null,
    doc: 'Directory of the keys that the cluster shares, in place of `pki_dir`',
  },
  cluster_key_pass: { type: 'None|str', master: null, doc: "Passphrase of the cluster's key" },
  cluster_pool_port: { type: 'int', master: 4520, doc: 'Port that the NATS servers of masters speak to each other on' },
  cluster_secret: { type: 'str', master: null, doc: 'Secret that all masters of the cluster share' },
  cluster_nats: {
    type: 'dict',
    for: ['master'],
    unset: {},
    doc: 'NATS servers of the cluster: `servers`, `user`, `password`, `token`, `creds`, `tls`, `sync_always`; or `server_path` and `port` of the supervised one',
  },
  ...later('clusters of masters by Raft', {
    cluster_pub_fingerprint: { type: 'str', master: null, doc: "Fingerprint that the cluster's key must have" },
    cluster_isolated_filesystem: { type: 'bool', master: false, doc: 'The masters share no file system' },
    cluster_encryption_algorithm: {
      type: 'str',
      master: 'OAEP-SHA1',
      doc: "How session keys are encrypted for the cluster's key",
    },
    cluster_max_log_size: { type: 'None|int', master: null, doc: "How many entries the cluster's log keeps" },
    cluster_max_voters: { type: 'None|int', master: null, doc: 'How many masters vote at most' },
    cluster_min_voters: { type: 'int', master: 3, doc: 'How many masters vote at least' },
    cluster_voter_health_check_interval: {
      type: 'float',
      master: float(1),
      doc: 'Seconds between checks of voting masters',
    },
    cluster_voter_timeout: {
      type: 'float',
      master: float(10),
      doc: 'Seconds after which a silent voter counts as lost',
    },
    cluster_demote_cooldown: {
      type: 'float',
      master: float(60),
      doc: 'Seconds before a master that lost its vote may get it again',
    },
    cluster_auto_replace_voters: { type: 'bool', master: false, doc: 'Replace lost voters by other masters' },
    cluster_port: { type: 'int', for: ['master'], doc: 'Port of the cluster on this master' },
    cluster_join_timeout: { type: 'float', for: ['master'], doc: 'Seconds that joining may take' },
    cluster_election_min: {
      type: 'float',
      for: ['master'],
      doc: 'Shortest seconds without a leader before an election',
    },
    cluster_election_max: {
      type: 'float',
      for: ['master'],
      doc: 'Longest seconds without a leader before an election',
    },
  }),
  cluster_masters: {
    type: 'list',
    for: ['master'],
    doc: 'All masters of the cluster, this one included',
    unset: [],
  },
  cluster_mode: {
    type: 'bool',
    both: false,
    doc: 'This master is one of a cluster; for the Redis cache, its servers are one',
  },
} satisfies OptionTable
