// The command line of salt-api.
import type { Program } from '../optparse/option.ts'
import { CONFIG_DIR, daemonOptions, HELP, loggingOptions, VERSION, VERSIONS_REPORT } from './common.ts'

export const SALT_API: Program = {
  name: 'salt-api',
  usage: '[options]',
  description: 'Serves the API over the network.',
  options: [VERSION, VERSIONS_REPORT, HELP, CONFIG_DIR, ...daemonOptions('salt-api')],
  groups: [loggingOptions('api_logfile')],
}
