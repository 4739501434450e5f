// Reactor, engines and thorium.
import type { OptionTable } from '../option.ts'

export const EVENTS = {
  reactor: { type: 'list', master: [], doc: 'Event tags and the files they start' },
  reactor_worker_threads: { type: 'int', both: 10, doc: 'How many reactions may run at once' },
  reactor_worker_hwm: { type: 'int', both: 10000, doc: 'How many reactions may wait' },
  reactor_max_depth: {
    type: 'int',
    for: ['master'],
    unset: 20,
    doc: 'How many reactions in a row may cause each other; more are a loop, which is cut',
  },
  reactor_repeat_interrupted: {
    type: 'bool',
    for: ['master'],
    unset: true,
    doc: 'Whether runner and wheel functions that ran for a reaction when the master ended run again',
  },
  reactor_limits: {
    type: 'dict',
    for: ['master'],
    doc: 'By glob of tags: `rate` events in `per` seconds are answered, and the same one again after `dedup` seconds',
  },
  event_journal: {
    type: 'bool',
    for: ['master'],
    unset: true,
    doc: 'Whether events are kept in a journal',
  },
  event_journal_max_age: {
    type: 'int',
    for: ['master'],
    unset: 7 * 86_400,
    doc: 'Seconds that events are kept in the journal',
  },
  event_journal_max_size: {
    type: 'int',
    for: ['master'],
    unset: 512 * 2 ** 20,
    doc: 'Bytes that the journal of events may have; the oldest events go first',
  },
  event_journal_inline_size: {
    type: 'int',
    for: ['master'],
    unset: 4096,
    doc: 'Bytes, above which the journal refers to the job store for what a minion returned',
  },
  engines: { type: 'list', both: [], doc: 'Engines that run beside the daemon' },
  thorium_interval: { both: 0.5, doc: 'Seconds between turns of thorium' },
  thorium_roots: { both: { base: ['/srv/thorium'] }, doc: 'Directories of thorium files by environment' },
  thorium_top: { type: 'str', both: 'top.sls', doc: "Name of thorium's top file" },
  thoriumenv: { type: 'None|str', both: null, doc: 'Environment of thorium' },
  thorium_recompile: { type: 'int', for: ['master'], unset: 300, doc: 'Seconds between compilations of thorium files' },
  runner_queue: { type: 'dict', for: ['master'], doc: 'Queue that runners are put into' },
  reactor_refresh_interval: {
    type: 'int',
    both: 60,
    doc: 'Seconds that rendered reactor files are kept',
    needless: 'A file of reactions is read at each reaction',
  },
  reactor_niceness: {
    type: 'None|int',
    both: null,
    doc: 'Niceness of the reactor',
    needless: 'The parts of a master are one process, whose niceness the service manager sets',
  },
  webhook_url: { type: 'str', for: ['master'], doc: 'Path of the webhook engine', later: 'salt-api' },
} satisfies OptionTable
