// Sockets, ports and settings of the wire protocol.
import { needless, type OptionTable } from '../option.ts'

export const TRANSPORT = {
  transport: {
    type: 'str',
    both: 'zeromq',
    names: ['zeromq', 'tcp', 'ws'],
    doc: 'How master and minions speak: zeromq, tcp or ws',
  },
  interface: { type: 'str', both: '0.0.0.0', doc: 'Address to listen on' },
  publish_port: { type: 'int', master: 4505, doc: 'Port that jobs are published on' },
  ret_port: { type: 'int', master: 4506, doc: 'Port that requests are taken on' },
  ipv6: { type: 'None|bool', both: null, doc: 'Use IPv6; found out when it is not set' },
  ipc_mode: { type: 'str', both: 'ipc', doc: 'How processes of one machine speak: ipc or tcp' },
  ipc_write_buffer: {
    type: 'int',
    both: 0,
    doc: 'Bytes that may wait on such a connection; 0 for no limit, or dynamic',
  },
  tcp_keepalive: { type: 'bool', both: true, doc: 'Keep idle connections open' },
  tcp_keepalive_idle: { type: 'float', both: 300, doc: "Seconds before the first probe; -1 for the system's" },
  tcp_reconnect_backoff: {
    type: 'float',
    minion: 1,
    doc: 'Seconds before a connection of the transports tcp and ws is tried again; while it is not set, as with recon_default',
  },
  pub_hwm: { type: 'int', master: 1000, doc: 'How many publications may wait for a slow minion' },
  zmq_backlog: { type: 'int', master: 1000, doc: 'How many connections may wait to be taken' },
  zmq_filtering: { type: 'bool', both: false, doc: 'Send targeted jobs only to the minions they are for' },
  zmq_heartbeat_ivl: { type: 'int', for: ['minion', 'master'], doc: 'Milliseconds between heartbeats' },
  zmq_heartbeat_timeout: {
    type: 'int',
    for: ['minion', 'master'],
    doc: 'Milliseconds without a heartbeat before a connection ends',
  },
  master_uri: { type: 'str', for: ['minion', 'master'], doc: 'Address of the master as it was found' },
  ...needless('Programs of one machine speak by the sockets in sock_dir', {
    tcp_master_pub_port: { type: 'int', master: 4512, doc: "Port of published events when the master's IPC is TCP" },
    tcp_master_pull_port: { type: 'int', master: 4513, doc: "Port of incoming events when the master's IPC is TCP" },
    tcp_master_publish_pull: { type: 'int', master: 4514, doc: "Port of outgoing jobs when the master's IPC is TCP" },
    tcp_master_workers: { type: 'int', master: 4515, doc: "Port of the workers when the master's IPC is TCP" },
  }),
  ...needless('The system decides it', {
    tcp_keepalive_cnt: { type: 'float', both: -1, doc: "Lost probes before a connection ends; -1 for the system's" },
    tcp_keepalive_intvl: { type: 'float', both: -1, doc: "Seconds between probes; -1 for the system's" },
    max_open_files: { type: 'int', master: 100000, doc: 'How many files the master may open' },
  }),
  tcp_authentication_retries: {
    type: 'int',
    minion: 5,
    doc: 'How often a TCP connection tries to authenticate; -1 for ever',
    needless: 'auth_tries counts for all transports',
  },
  zmq_monitor: { both: false, doc: 'Log what happens on ZeroMQ sockets', later: 'the log of ZeroMQ sockets' },
  sock_pool_size: {
    type: 'int',
    both: 1,
    doc: 'How many connections share the publishing',
    needless: 'One process publishes to all minions',
  },
  con_cache: {
    type: 'bool',
    master: false,
    doc: 'Keep a list of connected minions',
    needless: 'A master knows which minions are connected',
  },
} satisfies OptionTable
