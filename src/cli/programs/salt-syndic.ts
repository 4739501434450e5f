// The command line of salt-syndic.
import type { Program } from '../optparse/option.ts'
import {
  CONFIG_DIR,
  DAEMON,
  DISABLE_KEEPALIVE,
  HELP,
  LOG_FILE_LEVEL,
  LOG_LEVEL,
  SALTFILE,
  USER,
  VERSION,
  VERSIONS_REPORT,
} from './common.ts'

export const SALT_SYNDIC: Program = {
  name: 'salt-syndic',
  usage: '[options]',
  description: 'The syndic, which stands between a master and a master above it.',
  options: [
    VERSION,
    VERSIONS_REPORT,
    HELP,
    SALTFILE,
    CONFIG_DIR,
    USER,
    DAEMON,
    {
      flags: ['--pid-file'],
      dest: 'pidfile',
      default: '/var/run/salt-syndic.pid',
      help: 'file for the process id',
    },
    DISABLE_KEEPALIVE,
  ],
  groups: [
    {
      title: 'Logging Options',
      description: 'Logging, whatever the configuration files say.',
      options: [
        LOG_LEVEL,
        { flags: ['--log-file'], dest: 'syndic_log_file', action: 'file', help: 'log file' },
        LOG_FILE_LEVEL,
      ],
    },
  ],
}
