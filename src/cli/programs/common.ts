// Options and groups of options that several programs share.
import type { CliOption, OptionGroup } from '../optparse/option.ts'

/** The two orders that complaints and help name them in. */
export const LOG_LEVEL_CHOICES = [
  'all',
  'debug',
  'error',
  'critical',
  'garbage',
  'info',
  'profile',
  'quiet',
  'trace',
  'warning',
]
const SORTED_LOG_LEVELS = [
  'all',
  'garbage',
  'trace',
  'debug',
  'profile',
  'info',
  'warning',
  'error',
  'critical',
  'quiet',
]

export const VERSION: CliOption = { flags: ['--version'], action: 'version', help: 'print the version and stop' }

export const VERSIONS_REPORT: CliOption = {
  flags: ['-V', '--versions-report'],
  action: 'store_true',
  help: 'print versions of Salt, its dependencies and the system, then stop',
}

export const HELP: CliOption = { flags: ['-h', '--help'], action: 'help', help: 'print the option summary and stop' }

export const SALTFILE: CliOption = { flags: ['--saltfile'], help: 'read default options from this Saltfile' }

export const CONFIG_DIR: CliOption = {
  flags: ['-c', '--config-dir'],
  default: '/etc/salt',
  help: 'directory that holds the configuration files',
}

export const MODULE_EXECUTORS: CliOption = {
  flags: ['--module-executors'],
  metavar: 'EXECUTOR_LIST',
  help: "replace the minion's executor list for this job",
}

export const EXECUTOR_OPTS: CliOption = {
  flags: ['--executor-opts'],
  metavar: 'EXECUTOR_OPTS',
  help: 'options handed to the executors',
}

export const TIMEOUT: CliOption = {
  flags: ['-t', '--timeout'],
  type: 'int',
  default: 5,
  help: 'seconds to wait for returns',
}

export const ARGS_STDIN: CliOption = {
  flags: ['--args-stdin'],
  action: 'store_true',
  default: false,
  help: 'take more arguments from standard input, one per line',
}

export const HARD_CRASH: CliOption = {
  flags: ['--hard-crash'],
  action: 'store_true',
  default: false,
  help: 'let exceptions escape with a traceback',
}

export const NO_PARSE: CliOption = {
  flags: ['--no-parse'],
  metavar: 'argname1,argname2,...',
  default: '',
  help: 'names of key=value arguments whose value stays a plain string',
}

export const STATIC: CliOption = {
  flags: ['-s', '--static'],
  action: 'store_true',
  default: false,
  help: 'print all returns together at the end',
}

export const ASYNC: CliOption = {
  flags: ['--async'],
  action: 'store_true',
  default: false,
  help: 'publish the job, print its id and leave',
}

export const VERBOSE: CliOption = {
  flags: ['-v', '--verbose'],
  action: 'store_true',
  default: false,
  help: 'print the job id and progress details',
}

export const RETURN: CliOption = {
  flags: ['--return'],
  metavar: 'RETURNER',
  default: '',
  help: 'also send results to this returner',
}

export const DOC: CliOption = {
  flags: ['-d', '--doc', '--documentation'],
  action: 'store_true',
  default: false,
  help: 'print function documentation instead of running',
}

export const OUTPUT_DIFF: CliOption = {
  flags: ['--output-diff'],
  dest: 'state_output_diff',
  action: 'store_true',
  default: false,
  help: 'print only states that changed or failed',
}

export const HOSTS: CliOption = {
  flags: ['-H', '--hosts'],
  dest: 'list_hosts',
  action: 'store_true',
  default: false,
  help: 'list hosts known to the roster',
}

export const PCRE: CliOption = {
  flags: ['-E', '--pcre'],
  action: 'store_true',
  default: false,
  help: 'target is a regular expression on the minion id',
}

export const LIST: CliOption = {
  flags: ['-L', '--list'],
  action: 'store_true',
  default: false,
  help: 'target is a list of minion ids',
}

export const GRAIN: CliOption = {
  flags: ['-G', '--grain'],
  action: 'store_true',
  default: false,
  help: 'target is grain:glob',
}

export const GRAIN_PCRE: CliOption = {
  flags: ['-P', '--grain-pcre'],
  action: 'store_true',
  default: false,
  help: 'target is grain:regex',
}

export const NODEGROUP: CliOption = {
  flags: ['-N', '--nodegroup'],
  action: 'store_true',
  default: false,
  help: 'target is a nodegroup name',
}

export const RANGE: CliOption = {
  flags: ['-R', '--range'],
  action: 'store_true',
  default: false,
  help: 'target is a range-server expression',
}

/** Kinds of targets that need more of a minion than its id. */
export const FLEET_TARGETS: readonly CliOption[] = [
  { flags: ['-C', '--compound'], action: 'store_true', default: false, help: 'target is a compound expression' },
  {
    flags: ['-I', '--pillar'],
    dest: 'pillar_target',
    action: 'store_true',
    default: false,
    help: 'target is pillar:glob',
  },
  { flags: ['-J', '--pillar-pcre'], action: 'store_true', default: false, help: 'target is pillar:regex' },
  { flags: ['-S', '--ipcidr'], action: 'store_true', default: false, help: 'target is an address or subnet' },
]

export const MAKE_TOKEN: CliOption = {
  flags: ['-T', '--make-token'],
  dest: 'mktoken',
  action: 'store_true',
  default: false,
  help: 'create and store a login token',
}

export const USERNAME: CliOption = { flags: ['--username'], help: 'user for external authentication' }

export const PASSWORD: CliOption = { flags: ['--password'], help: 'password for external authentication' }

export const LOG_LEVEL: CliOption = {
  flags: ['-l', '--log-level'],
  choices: LOG_LEVEL_CHOICES,
  help: 'console log level',
}

export const LOG_FILE_LEVEL: CliOption = {
  flags: ['--log-file-level'],
  dest: 'log_level_logfile',
  choices: SORTED_LOG_LEVELS,
  help: 'log level for the log file',
}

export const PROXYID: CliOption = { flags: ['--proxyid'], help: 'id of the proxy minion' }

export const SKIP_GRAINS: CliOption = {
  flags: ['--skip-grains'],
  action: 'store_true',
  default: false,
  help: 'do not load grains',
}

export const JID: CliOption = { flags: ['--jid'], help: 'use this job id' }

export const USER: CliOption = { flags: ['-u', '--user'], help: 'system user to run as' }

export const DAEMON: CliOption = {
  flags: ['-d', '--daemon'],
  action: 'store_true',
  default: false,
  help: 'detach and run in the background',
}

export const DISABLE_KEEPALIVE: CliOption = {
  flags: ['--disable-keepalive'],
  action: 'store_true',
  default: false,
  help: 'do not supervise and restart the daemon process',
}

export const ASSUME_YES: CliOption = {
  flags: ['-y', '--assume-yes'],
  action: 'store_true',
  default: false,
  help: 'assume yes for every question',
}

export const ADDITIONAL_TARGET_OPTIONS: OptionGroup = {
  title: 'Additional Target Options',
  description: 'More about targets.',
  options: [{ flags: ['--delimiter'], default: ':', help: 'separator between levels of a grain or pillar path' }],
}

export const EXTERNAL_AUTHENTICATION: OptionGroup = {
  title: 'External Authentication',
  options: [
    {
      flags: ['-a', '--auth', '--eauth', '--external-auth'],
      dest: 'eauth',
      default: '',
      help: 'external authentication backend',
    },
    MAKE_TOKEN,
    USERNAME,
    PASSWORD,
  ],
}

export const OUTPUT_OPTIONS: OptionGroup = {
  title: 'Output Options',
  description: 'How answers are printed.',
  options: [
    { flags: ['--out', '--output'], dest: 'output', help: 'outputter used for results' },
    {
      flags: ['--out-indent', '--output-indent'],
      dest: 'output_indent',
      type: 'int',
      help: 'indentation for outputters that support it',
    },
    { flags: ['--out-file', '--output-file'], dest: 'output_file', help: 'write results to this file' },
    {
      flags: ['--out-file-append', '--output-file-append'],
      dest: 'output_file_append',
      action: 'store_true',
      default: false,
      help: 'append to the output file instead of replacing it',
    },
    { flags: ['--no-color', '--no-colour'], action: 'store_true', default: false, help: 'print without colors' },
    {
      flags: ['--force-color', '--force-colour'],
      action: 'store_true',
      default: false,
      help: 'print with colors even into a pipe',
    },
    { flags: ['--state-output', '--state_output'], help: 'how state results are displayed' },
    { flags: ['--state-verbose', '--state_verbose'], help: 'also show states that succeeded without changes' },
  ],
}

export const LOGGING_OPTIONS: OptionGroup = {
  title: 'Logging Options',
  description: 'Logging, whatever the configuration files say.',
  options: [LOG_LEVEL, { flags: ['--log-file'], action: 'file', help: 'log file' }, LOG_FILE_LEVEL],
}

export const PROFILING_SUPPORT: OptionGroup = {
  title: 'Profiling support',
  options: [
    { flags: ['--profiling-path'], default: '/tmp/stats', help: 'directory for profiler output' },
    {
      flags: ['--enable-profiling'],
      dest: 'profiling_enabled',
      action: 'store_true',
      default: false,
      help: 'collect profiler data',
    },
  ],
}

export const TARGET_OPTIONS: OptionGroup = {
  title: 'Target Options',
  description: 'How the target is meant.',
  options: [HOSTS, PCRE, LIST, GRAIN, GRAIN_PCRE, NODEGROUP, RANGE],
}
