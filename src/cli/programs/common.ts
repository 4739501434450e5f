// Options and groups of options that several programs share.
import { type CliOption, flagOption, type OptionGroup } from '../optparse/option.ts'

/** The orders of log levels in error messages and in the help. */
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

const SALTFILE: CliOption = { flags: ['--saltfile'], help: 'read default options from this Saltfile' }

export const CONFIG_DIR: CliOption = {
  flags: ['-c', '--config-dir'],
  default: '/etc/salt',
  help: 'directory that holds the configuration files',
}

/** The options that most programs begin with. */
export const STANDARD_OPTIONS: readonly CliOption[] = [VERSION, VERSIONS_REPORT, HELP, SALTFILE, CONFIG_DIR]

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

export const ARGS_STDIN = flagOption(['--args-stdin'], 'take more arguments from standard input, one per line')

export const HARD_CRASH = flagOption(['--hard-crash'], 'let exceptions escape with a traceback')

export const NO_PARSE: CliOption = {
  flags: ['--no-parse'],
  metavar: 'argname1,argname2,...',
  default: '',
  help: 'names of key=value arguments whose value stays a plain string',
}

export const STATIC = flagOption(['-s', '--static'], 'print all returns together at the end')

export const ASYNC = flagOption(['--async'], 'publish the job, print its id and leave')

export const VERBOSE = flagOption(['-v', '--verbose'], 'print the job id and progress details')

export const RETURN: CliOption = {
  flags: ['--return'],
  metavar: 'RETURNER',
  default: '',
  help: 'also send results to this returner',
}

export const DOC = flagOption(['-d', '--doc', '--documentation'], 'print function documentation instead of running')

export const OUTPUT_DIFF = flagOption(
  ['--output-diff'],
  'print only states that changed or failed',
  'state_output_diff',
)

export const HOSTS = flagOption(['-H', '--hosts'], 'list hosts known to the roster', 'list_hosts')

export const PCRE = flagOption(['-E', '--pcre'], 'target is a regular expression on the minion id')

export const LIST = flagOption(['-L', '--list'], 'target is a list of minion ids')

export const GRAIN = flagOption(['-G', '--grain'], 'target is grain:glob')

export const GRAIN_PCRE = flagOption(['-P', '--grain-pcre'], 'target is grain:regex')

export const NODEGROUP = flagOption(['-N', '--nodegroup'], 'target is a nodegroup name')

export const RANGE = flagOption(['-R', '--range'], 'target is a range-server expression')

/** Kinds of targets that need more of a minion than its id. */
export const FLEET_TARGETS: readonly CliOption[] = [
  flagOption(['-C', '--compound'], 'target is a compound expression'),
  flagOption(['-I', '--pillar'], 'target is pillar:glob', 'pillar_target'),
  flagOption(['-J', '--pillar-pcre'], 'target is pillar:regex'),
  flagOption(['-S', '--ipcidr'], 'target is an address or subnet'),
]

export const MAKE_TOKEN = flagOption(['-T', '--make-token'], 'create and store a login token', 'mktoken')

export const USERNAME: CliOption = { flags: ['--username'], help: 'user for external authentication' }

export const PASSWORD: CliOption = { flags: ['--password'], help: 'password for external authentication' }

export const LOG_LEVEL: CliOption = {
  flags: ['-l', '--log-level'],
  choices: LOG_LEVEL_CHOICES,
  help: 'console log level',
}

const LOG_FILE_LEVEL: CliOption = {
  flags: ['--log-file-level'],
  dest: 'log_level_logfile',
  choices: SORTED_LOG_LEVELS,
  help: 'log level for the log file',
}

export const PROXYID: CliOption = { flags: ['--proxyid'], help: 'id of the proxy minion' }

export const SKIP_GRAINS = flagOption(['--skip-grains'], 'do not load grains')

export const JID: CliOption = { flags: ['--jid'], help: 'use this job id' }

export const USER: CliOption = { flags: ['-u', '--user'], help: 'system user to run as' }

const DAEMON = flagOption(['-d', '--daemon'], 'detach and run in the background')

const DISABLE_KEEPALIVE = flagOption(['--disable-keepalive'], 'do not supervise and restart the daemon process')

/** Return the options of a program that stays. */
export const daemonOptions = (program: string): CliOption[] => [
  DAEMON,
  { flags: ['--pid-file'], dest: 'pidfile', default: `/var/run/${program}.pid`, help: 'file for the process id' },
  DISABLE_KEEPALIVE,
]

export const ASSUME_YES = flagOption(['-y', '--assume-yes'], 'assume yes for every question')

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
    flagOption(
      ['--out-file-append', '--output-file-append'],
      'append to the output file instead of replacing it',
      'output_file_append',
    ),
    flagOption(['--no-color', '--no-colour'], 'print without colors'),
    flagOption(['--force-color', '--force-colour'], 'print with colors even into a pipe'),
    { flags: ['--state-output', '--state_output'], help: 'how state results are displayed' },
    { flags: ['--state-verbose', '--state_verbose'], help: 'also show states that succeeded without changes' },
  ],
}

/** Return the options of logging; `file` is the option of the configuration that names the log file of the program. */
export const loggingOptions = (file?: string, level = LOG_LEVEL): OptionGroup => ({
  title: 'Logging Options',
  description: 'Logging, whatever the configuration files say.',
  options: [
    level,
    { flags: ['--log-file'], ...(file !== undefined && { dest: file }), action: 'file', help: 'log file' },
    LOG_FILE_LEVEL,
  ],
})

export const LOGGING_OPTIONS = loggingOptions()

export const PROFILING_SUPPORT: OptionGroup = {
  title: 'Profiling support',
  options: [
    { flags: ['--profiling-path'], default: '/tmp/stats', help: 'directory for profiler output' },
    flagOption(['--enable-profiling'], 'collect profiler data', 'profiling_enabled'),
  ],
}

export const TARGET_OPTIONS: OptionGroup = {
  title: 'Target Options',
  description: 'How the target is meant.',
  options: [HOSTS, PCRE, LIST, GRAIN, GRAIN_PCRE, NODEGROUP, RANGE],
}
