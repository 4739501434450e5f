// All metrics, by the names of OpenTelemetry. Names that begin with `salt.` are Salt's; names that begin with `brine.` are our own.
// docs/reference/metrics.md is generated from this table.

/** The program that has a metric. */
export type MetricRole = 'master' | 'minion' | 'api'

export interface DeclaredMetric {
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** Milliseconds, seconds, bytes, or none. */
  unit?: 'ms' | 's' | 'By'
  labels?: readonly string[]
  of: readonly MetricRole[]
}

const MASTER = ['master'] as const
const MINION = ['minion'] as const
const API = ['api'] as const
const HEARD = ['master', 'api'] as const
const ALL = ['master', 'minion', 'api'] as const

/** Metrics that Salt 3008 has. */
const SALTS = {
  'salt.jobs.published': {
    help: 'Jobs published from the master to minions.',
    type: 'counter',
    labels: ['fun'],
    of: HEARD,
  },
  'salt.jobs.completed': {
    help: 'Returns received from minions.',
    type: 'counter',
    labels: ['fun', 'success'],
    of: HEARD,
  },
  'salt.job.duration': {
    help: 'Time from the publication of a job to each return.',
    type: 'histogram',
    unit: 'ms',
    labels: ['fun'],
    of: HEARD,
  },
  'salt.auth.attempts': { help: 'Sign-ins of minions.', type: 'counter', labels: ['result'], of: HEARD },
  'salt.events.fired': { help: 'Events on the event bus.', type: 'counter', labels: ['tag_prefix'], of: HEARD },
  'salt.master.requests.handled': {
    help: 'Requests that the master answered.',
    type: 'counter',
    labels: ['cmd'],
    of: MASTER,
  },
  'salt.master.requests.duration': {
    help: 'Time to answer a request of a minion or a program.',
    type: 'histogram',
    unit: 'ms',
    labels: ['cmd'],
    of: MASTER,
  },
  'salt.master.connected_minions.count': {
    help: 'Connected minions. The number is at most 15 seconds old.',
    type: 'gauge',
    of: HEARD,
  },
  'salt.master.workers.queue.depth': {
    help: 'Requests that the master is answering.',
    type: 'gauge',
    labels: ['pool'],
    of: MASTER,
  },
  'salt.minion.exec.duration': {
    help: 'Time that the functions of a job took.',
    type: 'histogram',
    unit: 'ms',
    labels: ['fun'],
    of: MINION,
  },
  'salt.returners.calls': {
    help: 'Returns handed to a returner.',
    type: 'counter',
    labels: ['returner', 'status'],
    of: MINION,
  },
  'salt.process.open_fds': { help: 'Open file descriptors of the process.', type: 'gauge', of: ALL },
} as const satisfies Record<string, DeclaredMetric>

/** Metrics of a master. */
const MASTERS = {
  'brine.minions': { help: 'Minions by the state of their keys.', type: 'gauge', labels: ['state'], of: HEARD },
  'brine.minion.connected': {
    help: 'Whether a minion is connected; only with the setting minion_labels.',
    type: 'gauge',
    labels: ['minion'],
    of: MASTER,
  },
  'brine.sign_ins': {
    help: 'Sign-ins of minions by the answer of the master.',
    type: 'counter',
    labels: ['answer'],
    of: MASTER,
  },
  'brine.publish.subscribers': {
    help: 'Connections that a publication reaches now.',
    type: 'gauge',
    of: MASTER,
  },
  'brine.jobs.open': {
    help: 'Published jobs of the last hour that some of their minions have not returned.',
    type: 'gauge',
    of: MASTER,
  },
  'brine.files.served': {
    help: 'Contents of files sent to minions, before compression.',
    type: 'counter',
    unit: 'By',
    of: MASTER,
  },
  'brine.fileserver.updates': {
    help: 'Updates of the file server by its interval, such as fetches of gitfs.',
    type: 'counter',
    labels: ['result'],
    of: MASTER,
  },
  'brine.fileserver.update.duration': {
    help: 'Duration of the last update of the file server.',
    type: 'gauge',
    unit: 's',
    of: MASTER,
  },
  'brine.fileserver.remotes.failing': {
    help: 'Remotes of the file server that the last update could not reach.',
    type: 'gauge',
    of: MASTER,
  },
  'brine.pillar.processes': { help: 'Further processes that compile pillar.', type: 'gauge', of: MASTER },
  'brine.pillar.waiting': { help: 'Pillars that these processes are to compile.', type: 'gauge', of: MASTER },
  'brine.journal.size': { help: 'Size of the journal of events.', type: 'gauge', unit: 'By', of: MASTER },
  'brine.journal.lag': { help: 'Events that the journal has not written yet.', type: 'gauge', of: MASTER },
  'brine.journal.lost': { help: 'Events that the journal could not write.', type: 'counter', of: MASTER },
  'brine.jobs.store.size': { help: 'Size of the database of jobs.', type: 'gauge', unit: 'By', of: MASTER },
  'brine.reactor.reactions': { help: 'Reactions that began.', type: 'counter', of: MASTER },
  'brine.reactor.waiting': { help: 'Reactions that wait or run.', type: 'gauge', of: MASTER },
  'brine.reactor.failures': { help: 'Files and calls of reactions that failed.', type: 'counter', of: MASTER },
  'brine.cluster.gaps': {
    help: 'Records of the log of a cluster, and returns, that were missing on this master, by outcome.',
    type: 'counter',
    labels: ['outcome'],
    of: MASTER,
  },
  'brine.batches.running': { help: 'Batches that are not over.', type: 'gauge', of: MASTER },
} as const satisfies Record<string, DeclaredMetric>

/** Metrics of a minion. */
const MINIONS = {
  'brine.minion.jobs': {
    help: 'Jobs that ended, by success.',
    type: 'counter',
    labels: ['success'],
    of: MINION,
  },
  'brine.minion.jobs.running': { help: 'Jobs that run, or wait for process_count_max.', type: 'gauge', of: MINION },
  'brine.minion.states': {
    help: 'States that ran, by result.',
    type: 'counter',
    labels: ['result'],
    of: MINION,
  },
  'brine.minion.returns.waiting': { help: 'Returns that no master has taken yet.', type: 'gauge', of: MINION },
  'brine.minion.master.connected': {
    help: 'Whether the minion is connected to a master, by the name in its configuration.',
    type: 'gauge',
    labels: ['master'],
    of: MINION,
  },
  'brine.minion.scheduled': { help: 'Entries of the schedule.', type: 'gauge', of: MINION },
  'brine.minion.beacon.events': { help: 'Events that beacons fired.', type: 'counter', of: MINION },
} as const satisfies Record<string, DeclaredMetric>

/** Metrics of the API. */
const APIS = {
  'brine.api.requests': {
    help: 'Requests that the API answered.',
    type: 'counter',
    labels: ['route', 'method', 'status'],
    of: API,
  },
  'brine.api.request.duration': {
    help: 'Time to answer a request, without streams.',
    type: 'histogram',
    unit: 's',
    labels: ['route', 'method'],
    of: API,
  },
  'brine.api.requests.running': { help: 'Requests that are being answered.', type: 'gauge', of: API },
  'brine.api.connections': { help: 'Connections to the API.', type: 'counter', of: API },
  'brine.api.web_sockets': { help: 'Web sockets with events.', type: 'gauge', of: API },
  'brine.api.sessions': { help: 'Sessions of the API.', type: 'gauge', of: API },
  'brine.events': { help: 'Events of the master that the API heard.', type: 'counter', of: API },
  'brine.events.missed': { help: 'Events that readers missed.', type: 'counter', of: API },
  'brine.event.readers': { help: 'Readers of events.', type: 'gauge', of: API },
  'brine.event.readers.lag': { help: 'Events that the slowest reader has not read yet.', type: 'gauge', of: API },
  'brine.events.kept': { help: 'Memory of the events that are kept for readers.', type: 'gauge', unit: 'By', of: API },
} as const satisfies Record<string, DeclaredMetric>

/** Metrics of every daemon. */
const PROCESSES = {
  'brine.build.info': {
    help: 'Always 1; the labels are the versions of Brine, of Salt whose behaviour this is, and of Node.',
    type: 'gauge',
    labels: ['version', 'salt_version', 'node_version'],
    of: ALL,
  },
  'brine.process.start_time': {
    help: 'When the process began, in seconds since 1970.',
    type: 'gauge',
    unit: 's',
    of: ALL,
  },
  'brine.process.cpu': { help: 'CPU time of the process.', type: 'counter', unit: 's', of: ALL },
  'brine.process.resident_memory': { help: 'Memory of the process.', type: 'gauge', unit: 'By', of: ALL },
  'brine.process.max_fds': { help: 'Most file descriptors that the process may open.', type: 'gauge', of: ALL },
  'brine.event_loop.lag': {
    help: 'Longest delay of the event loop in the last one to two minutes.',
    type: 'gauge',
    unit: 's',
    of: ALL,
  },
  'brine.storage.failing': { help: 'Disks that fail now.', type: 'gauge', of: ['master', 'minion'] },
  'brine.storage.errors': {
    help: 'Operations that failed because of a disk.',
    type: 'counter',
    of: ['master', 'minion'],
  },
} as const satisfies Record<string, DeclaredMetric>

export const METRICS = { ...SALTS, ...MASTERS, ...MINIONS, ...APIS, ...PROCESSES }

export type MetricName = keyof typeof METRICS

/** Return the declaration of a metric. */
export const declaredMetric = (name: MetricName): DeclaredMetric => METRICS[name]
