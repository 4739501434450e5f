// What is written where, and in which form.
import type { OptionTable } from '../option.ts'

export const LOGGING: OptionTable = {
  log_file: {
    type: 'str',
    minion: '/var/log/salt/minion',
    master: '/var/log/salt/master',
    doc: 'File or syslog address of the log',
  },
  log_level: { type: 'str', both: 'warning', doc: 'Least level that is shown on the console' },
  log_level_logfile: { type: 'None|str', both: null, doc: 'Least level that is written to the log file' },
  log_datefmt: { type: 'str', both: '%H:%M:%S', doc: 'Form of times on the console' },
  log_datefmt_logfile: { type: 'str', both: '%Y-%m-%d %H:%M:%S', doc: 'Form of times in the log file' },
  log_fmt_console: { type: 'str', both: '[%(levelname)-8s] %(message)s', doc: 'Form of a line on the console' },
  log_fmt_logfile: {
    type: 'tuple|str',
    both: '%(asctime)s,%(msecs)03d [%(name)-17s:%(lineno)-4d][%(levelname)-8s][%(process)d] %(message)s',
    doc: 'Form of a line in the log file',
  },
  log_fmt_jid: { type: 'None|str', both: '[JID: %(jid)s]', doc: 'Form of the job id in a line' },
  log_fmt_minion_id: { type: 'None|str', both: '[%(minion_id)s]', doc: "Form of the minion's id in a line" },
  log_granular_levels: { type: 'dict', both: {}, doc: 'Levels of single loggers by their name' },
  log_rotate_max_bytes: { type: 'int', both: 0, doc: 'Size at which the log file is turned over; 0 never' },
  log_rotate_backup_count: { type: 'int', both: 0, doc: 'How many turned-over log files are kept' },
  key_logfile: { type: 'str', master: '/var/log/salt/key', doc: 'Log file of key management' },
  log_dir: { type: 'str', for: ['minion', 'master'], doc: 'Directory of the log file, when log_file is a bare name' },
  log_datefmt_console: {
    type: 'str',
    for: ['minion', 'master'],
    doc: 'Form of times on the console, before log_datefmt',
  },
  log_fmt: {
    type: 'str',
    for: ['minion', 'master'],
    doc: 'Form of a line, where neither console nor file have their own',
  },
  logging: { type: 'dict', for: ['minion', 'master'], doc: 'Further log handlers' },
  sentry_handler: { type: 'dict', for: ['minion', 'master'], doc: 'Report errors to a Sentry server' },
  logstash_udp_handler: { type: 'dict', for: ['minion', 'master'], doc: 'Send log lines to Logstash by UDP' },
  logstash_zmq_handler: { type: 'dict', for: ['minion', 'master'], doc: 'Send log lines to Logstash by ZeroMQ' },
  fluent_handler: { type: 'dict', for: ['minion', 'master'], doc: 'Send log lines to Fluent' },
  log4mongo_handler: { type: 'dict', for: ['minion', 'master'], doc: 'Write log lines to MongoDB' },
  profiling_enabled: { type: 'bool', for: ['minion', 'master'], doc: 'Record where time goes' },
  profiling_path: { type: 'str', for: ['minion', 'master'], doc: 'Directory of the profiles' },
}
