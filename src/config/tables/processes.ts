// Workers, niceness and limits of the daemons.
import { needless, type OptionTable } from '../option.ts'

export const PROCESSES = {
  worker_threads: { type: 'int', master: 5, doc: 'How many processes make pillar at most, when much of it is wanted' },
  process_count_max: { type: 'int', minion: -1, doc: 'How many jobs may run at once; -1 for no limit' },
  max_minions: { type: 'int', master: 0, doc: 'How many minions may connect; 0 for no limit' },
  worker_pools: {
    type: 'dict',
    master: {},
    doc: 'Pools of workers and what they answer',
    needless: 'One process answers all requests',
  },
  worker_pools_enabled: {
    type: 'bool',
    master: true,
    doc: 'Share the workers out to pools',
    needless: 'One process answers all requests',
  },
  multiprocessing: {
    type: 'bool',
    minion: true,
    doc: 'Run each job in a process of its own',
    needless: 'Jobs of a minion run side by side in one process',
  },
  ...needless('The parts of a master are one process, whose niceness the service manager sets', {
    req_server_niceness: { type: 'None|int', master: null, doc: 'Niceness of the request server' },
    pub_server_niceness: { type: 'None|int', master: null, doc: 'Niceness of the publish server' },
    fileserver_update_niceness: { type: 'None|int', master: null, doc: 'Niceness of file server updates' },
    maintenance_niceness: { type: 'None|int', master: null, doc: 'Niceness of the maintenance process' },
    mworker_niceness: { type: 'None|int', master: null, doc: 'Niceness of the workers' },
    mworker_queue_niceness: { type: 'None|int', master: null, doc: "Niceness of the workers' queue" },
    event_return_niceness: { type: 'None|int', master: null, doc: 'Niceness of handing events to returners' },
    event_publisher_niceness: { type: 'None|int', master: null, doc: 'Niceness of the event publisher' },
  }),
  master_stats: {
    type: 'bool',
    master: false,
    doc: 'Fire events about how long requests take',
    later: 'events about the time that requests take',
  },
  master_stats_event_iter: {
    type: 'int',
    master: 60,
    doc: 'Seconds between these events',
    later: 'events about the time that requests take',
  },
} satisfies OptionTable
