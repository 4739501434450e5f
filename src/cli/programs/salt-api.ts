// The command line of salt-api.
import type { Program } from '../optparse/option.ts'
import {
  CONFIG_DIR,
  DAEMON,
  DISABLE_KEEPALIVE,
  HELP,
  LOG_FILE_LEVEL,
  LOG_LEVEL,
  VERSION,
  VERSIONS_REPORT,
} from './common.ts'

export const SALT_API: Program = {
  name: 'salt-api',
  usage: '[options]',
  description: 'Serves the API over the network.',
  options: [
    VERSION,
    VERSIONS_REPORT,
    HELP,
    CONFIG_DIR,
    DAEMON,
    { flags: ['--pid-file'], dest: 'pidfile', default: '/var/run/salt-api.pid', help: 'file for the process id' },
    DISABLE_KEEPALIVE,
  ],
  groups: [
    {
      title: 'Logging Options',
      description: 'Logging, whatever the configuration files say.',
      options: [
        LOG_LEVEL,
        { flags: ['--log-file'], dest: 'api_logfile', action: 'file', help: 'log file' },
        LOG_FILE_LEVEL,
      ],
    },
  ],
}
