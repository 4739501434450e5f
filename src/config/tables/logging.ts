// Logging: destinations, levels and formats.
import { later, type OptionTable } from '../option.ts'

export const LOGGING = {
  log_file: {
    type: 'str',
    minion: '/var/log/salt/minion',
    master: '/var/log/salt/master',
    doc: 'Log file, or a system log: file:///dev/log, udp://host:port or tcp://host:port, with /LOG_DAEMON or the like as facility',
  },
  log_level: { type: 'str', both: 'warning', doc: 'Least level that is shown on the console, by name or number' },
  log_level_logfile: {
    type: 'None|str',
    both: null,
    doc: 'Least level that is written to the log file. Default: log_level',
  },
  log_datefmt: { type: 'str', both: '%H:%M:%S', doc: 'strftime format of times on the console' },
  log_datefmt_logfile: { type: 'str', both: '%Y-%m-%d %H:%M:%S', doc: 'strftime format of times in the log file' },
  log_fmt_console: { type: 'str', both: '[%(levelname)-8s] %(message)s', doc: 'Format of a line on the console' },
  log_fmt_logfile: {
    type: 'tuple|str',
    both: '%(asctime)s,%(msecs)03d [%(name)-17s:%(lineno)-4d][%(levelname)-8s][%(process)d] %(message)s',
    doc: 'Format of a line in the log file',
  },
  log_fmt_jid: { type: 'None|str', both: '[JID: %(jid)s]', doc: 'Format of the field %(jid)s' },
  log_granular_levels: {
    type: 'dict',
    both: {},
    doc: 'Least levels of components by their name, such as salt.crypt; they count besides the levels of console and file',
  },
  log_rotate_max_bytes: { type: 'int', both: 0, doc: 'Size in bytes at which the log file is rotated; 0 for never' },
  log_rotate_backup_count: { type: 'int', both: 0, doc: 'How many rotated log files are kept; with 0 none is rotated' },
  key_logfile: { type: 'str', master: '/var/log/salt/key', doc: 'Log file of key management' },
  log_dir: { type: 'str', for: ['minion', 'master'], doc: 'Directory of the log file, when log_file is a bare name' },
  log_datefmt_console: {
    type: 'str',
    for: ['minion', 'master'],
    doc: 'strftime format of times on the console, in place of log_datefmt',
  },
  log_fmt: {
    type: 'str',
    for: ['minion', 'master'],
    doc: 'Format of a line on the console and in the log file, where their own formats are not set',
  },
  log_fmt_json: {
    type: 'bool',
    for: ['minion', 'master'],
    unset: false,
    doc: 'Write each line of console and log file as one JSON object; formats then have no effect.',
  },
  log_fmt_minion_id: {
    type: 'None|str',
    both: '[%(minion_id)s]',
    doc: 'Format of the field %(minion_id)s',
    later: 'a log format with the name of the minion',
  },
  ...later('log handlers besides console, file and system log', {
    logging: { type: 'dict', for: ['minion', 'master'], doc: 'Further log handlers' },
    sentry_handler: { type: 'dict', for: ['minion', 'master'], doc: 'Report errors to a Sentry server' },
    logstash_udp_handler: { type: 'dict', for: ['minion', 'master'], doc: 'Send log lines to Logstash by UDP' },
    logstash_zmq_handler: { type: 'dict', for: ['minion', 'master'], doc: 'Send log lines to Logstash by ZeroMQ' },
    fluent_handler: { type: 'dict', for: ['minion', 'master'], doc: 'Send log lines to Fluent' },
    log4mongo_handler: { type: 'dict', for: ['minion', 'master'], doc: 'Write log lines to MongoDB' },
  }),
  profiling_enabled: { type: 'bool', for: ['minion', 'master'], doc: 'Record where time goes', later: 'profiling' },
  profiling_path: { type: 'str', for: ['minion', 'master'], doc: 'Directory of the profiles', later: 'profiling' },
} satisfies OptionTable
