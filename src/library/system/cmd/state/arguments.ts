// Parameters of the states that run commands, in Salt's order.
import { arg } from '../../../../sdk/mod.ts'

const name = arg.string('Command or script')
const kwargs = arg.open('Further options of the execution function')
const cwd = arg.text('Working directory', { optional: true })
const root = arg.text('Root directory to change to', { optional: true })
const runas = arg.text('User to run as', { optional: true })
const password = arg.text('Password of the user, on Windows', { optional: true, secret: true })
const shell = arg.text('Shell; default: the shell of the grains', { optional: true })
const env = arg.textListOrDict('Environment variables: a dict, or a list of dicts', { optional: true })
const stateful = arg.any(
  'True if the output tells what changed; a list with `test_name` for the command of a dry run',
  { default: false },
)
const output_loglevel = arg.text('Log level of the output', { default: 'debug' })
const hide_output = arg.flag('Whether to omit the output from the report', { default: false })
const timeout = arg.textOrNumber('Timeout in seconds, as number', { optional: true })
const use_vt = arg.flag('Accepted for compatibility', { default: false })
const success = {
  success_retcodes: arg.textOrList('Return codes that count as success: a list, or text with commas', {
    optional: true,
  }),
  success_stdout: arg.textOrList('Texts in the output that mean success: a list, or text with commas', {
    optional: true,
  }),
  success_stderr: arg.textOrList('Texts in the errors that mean success: a list, or text with commas', {
    optional: true,
  }),
}

export const runArgs = {
  name,
  cwd,
  root,
  runas,
  password,
  shell,
  env,
  prepend_path: arg.text('Directory to prepend to PATH', { optional: true }),
  stateful,
  output_loglevel,
  hide_output,
  timeout,
  ignore_timeout: arg.flag('Whether a timeout counts as success', { default: false }),
  use_vt,
  ...success,
  kwargs,
}

/** As in Salt, the default of `env` of waiting commands is an empty list. */
export const waitArgs = {
  name,
  cwd,
  root,
  runas,
  shell,
  env: arg.textListOrDict('Environment variables: a dict, or a list of dicts', { default: [] }),
  stateful,
  output_loglevel,
  hide_output,
  use_vt,
  ...success,
  kwargs,
}

const source = arg.text('Path or URL of the script; default: the name', { optional: true })
const template = arg.text('Template engine that renders the script', { optional: true })

export const waitScriptArgs = {
  name,
  source,
  template,
  cwd,
  runas,
  shell,
  env,
  stateful,
  use_vt,
  output_loglevel,
  hide_output,
  ...success,
  kwargs,
}

export const scriptArgs = {
  name,
  source,
  template,
  cwd,
  runas,
  password,
  shell,
  env,
  stateful,
  timeout,
  use_vt,
  output_loglevel,
  hide_output,
  defaults: arg.textListOrDict('Default template variables, a dict', { optional: true }),
  context: arg.textListOrDict('Template variables, a dict', { optional: true }),
  ...success,
  kwargs,
}

export const callArgs = {
  name,
  func: arg.any('Function'),
  args: arg.list('Positional arguments', { default: [] }),
  kws: arg.dict('Keyword arguments', { optional: true }),
  output_loglevel,
  hide_output,
  use_vt,
  kwargs: arg.ignored(),
}

export const waitCallArgs = {
  name,
  func: callArgs.func,
  args: callArgs.args,
  kws: callArgs.kws,
  stateful,
  use_vt,
  output_loglevel,
  hide_output,
  kwargs: callArgs.kwargs,
}
