// Masters below a master.
import type { OptionTable } from '../option.ts'

export const SYNDIC_OPTIONS = {
  syndics: {
    type: 'list',
    for: ['master'],
    doc: 'Globs of the ids of minions that are syndics, with `order_masters`; without it every accepted minion may act as one',
  },
  syndic_finger: {
    type: 'str',
    minion: '',
    for: ['master'],
    doc: 'Fingerprint that the key of the master above must have',
  },
  master_id: {
    type: 'str',
    for: ['master'],
    doc: 'Name of this master in its publications; a syndic does not hand the jobs of this name back to it',
  },
  syndic_master: { type: 'str|list', master: 'masterofmasters', doc: 'The master above this one, or a list of them' },
  syndic_wait: {
    type: 'int',
    master: 5,
    doc: 'Seconds that a caller waits at most until syndics have told which of their minions a job is for',
  },
  syndic_failover: {
    type: 'str',
    master: 'random',
    doc: 'Order in which masters above are tried for events that belong to no job of theirs: random or ordered',
  },
  syndic_forward_all_events: {
    type: 'bool',
    master: false,
    doc: 'Hand events that belong to no job from above to all masters above, in place of one',
  },
  syndic_event_forward_timeout: {
    type: 'float',
    master: 0.5,
    doc: 'Seconds that events are gathered until they are handed upwards; lists of minions and returns do not wait for it',
  },
  syndic_jid_forward_cache_hwm: {
    type: 'int',
    master: 100,
    doc: 'How many jobs of this master a syndic remembers as told of; the description of a job goes up once',
  },
  syndic_mode: {
    type: 'str',
    for: ['master'],
    unset: 'sync',
    names: ['sync', 'cluster'],
    doc: 'Whether a syndic hands all events upwards (`sync`), or only returns and lists of minions of jobs (`cluster`)',
  },
  syndic_log_file: { master: '/var/log/salt/syndic', doc: 'Log file of the syndic' },
  syndic_pidfile: { master: '/var/run/salt-syndic.pid', doc: 'File the syndic writes its process id to' },
  syndic_retries: {
    type: 'int',
    minion: 3,
    doc: 'How often a syndic tries one of several masters above, before it hands events that belong to no job to the next one',
  },
  syndic_master_port: { type: 'int', for: ['master'], doc: 'Request port of the master above' },
  syndic_master_publish_port: {
    type: 'int',
    for: ['master'],
    doc: 'Publish port of the master above, where it does not tell it at the sign-in',
  },
} satisfies OptionTable
