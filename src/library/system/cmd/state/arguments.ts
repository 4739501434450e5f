// The parameters of the states that run commands, in Salt's order.
import { arg } from '../../../../sdk/mod.ts'

const optional = (doc: string) => arg.any(doc, { optional: true })
const flag = (doc: string) => arg.any(doc, { default: false })

const name = arg.string('The command or script')
const kwargs = arg.open('Handed on to the function that runs commands')
const cwd = optional('The working directory')
const root = optional('A directory to change the root to')
const runas = optional('The user to run as')
const password = arg.any("The user's password, on Windows", { optional: true, secret: true })
const shell = optional('The shell; by default that of the grains')
const env = optional('Environment variables: a dict, or a list of dicts')
const stateful = flag('Whether the output tells what changed; with `test_name` a dry run runs that command')
const output_loglevel = arg.any('At which level output is logged', { default: 'debug' })
const hide_output = flag('Leave the output out of the report')
const timeout = optional('Seconds until the command is ended')
const use_vt = flag('Run in a terminal')
const success = {
  success_retcodes: optional('Exit codes that mean success'),
  success_stdout: optional('Output that means success'),
  success_stderr: optional('Error output that means success'),
}

export const runArgs = {
  name,
  cwd,
  root,
  runas,
  password,
  shell,
  env,
  prepend_path: optional('Put before PATH'),
  stateful,
  output_loglevel,
  hide_output,
  timeout,
  ignore_timeout: arg.flag('Whether a timeout counts as success', { default: false }),
  use_vt,
  ...success,
  kwargs,
}

/** Waiting commands have an empty list where others have nothing. */
export const waitArgs = {
  name,
  cwd,
  root,
  runas,
  shell,
  env: arg.any('Environment variables: a dict, or a list of dicts', { default: [] }),
  stateful,
  output_loglevel,
  hide_output,
  use_vt,
  ...success,
  kwargs,
}

const source = optional('Where the script is; by default the name')
const template = optional('The template engine the script is rendered with')

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
  defaults: optional('Template variables'),
  context: optional('Template variables, over the defaults'),
  ...success,
  kwargs,
}

export const callArgs = {
  name,
  func: arg.any('The function'),
  args: arg.any('Its positional arguments', { default: [] }),
  kws: optional('Its keywords'),
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
