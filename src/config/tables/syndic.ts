// Masters below a master.
import { later, type OptionTable } from '../option.ts'

export const SYNDIC = {
  syndics: {
    type: 'list',
    for: ['master'],
    doc: 'Globs of the ids of minions that are syndics, with `order_masters`; without it every accepted minion may act as one',
  },
  syndic_finger: { type: 'str', minion: '', doc: 'Fingerprint that the key of the master above must have' },
  ...later('salt-syndic', {
    syndic_master: { type: 'str|list', master: 'masterofmasters', doc: 'The master above this one, or a list of them' },
    syndic_wait: { type: 'int', master: 5, doc: 'Seconds to wait for syndics to answer' },
    syndic_failover: {
      type: 'str',
      master: 'random',
      doc: 'Order in which masters above are tried: random or ordered',
    },
    syndic_forward_all_events: { type: 'bool', master: false, doc: 'Hand all events upwards' },
    syndic_event_forward_timeout: { type: 'float', master: 0.5, doc: 'Seconds between hand-overs of events' },
    syndic_jid_forward_cache_hwm: { type: 'int', master: 100, doc: 'How many job ids are remembered when forwarding' },
    syndic_log_file: { master: '/var/log/salt/syndic', doc: 'Log file of the syndic' },
    syndic_pidfile: { master: '/var/run/salt-syndic.pid', doc: 'File the syndic writes its process id to' },
    syndic_retries: { type: 'int', minion: 3, doc: 'How often a connection upwards is tried' },
    syndic_master_port: { type: 'int', for: ['master'], doc: 'Request port of the master above' },
    syndic_master_publish_port: { type: 'int', for: ['master'], doc: 'Publish port of the master above' },
  }),
} satisfies OptionTable
