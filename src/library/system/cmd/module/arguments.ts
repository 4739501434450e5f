// Parameters that the functions of `cmd` share; each function has its own order.
import type { Value } from '../../../../data/mod.ts'
import { type Arg, arg } from '../../../../sdk/mod.ts'

const ARGUMENTS = {
  cmd: arg.textOrList('Command line, or a list of the program and its arguments'),
  cwd: arg.text('Working directory; default: the home directory of the user', { optional: true }),
  stdin: arg.text('Standard input; `\\n` in it means a new line', { optional: true }),
  runas: arg.text('User to run as', { optional: true }),
  group: arg.text('Group to run as', { optional: true }),
  shell: arg.text('Shell for command lines; default: the shell of the environment', { default: '' }),
  python_shell: arg.any('True to run the line in `shell`, another true value for /bin/sh, False for no shell', {
    optional: true,
  }),
  env: arg.textListOrDict('Environment variables: a dict, or a list of dicts', { optional: true }),
  clean_env: arg.flag('Whether to set only the variables of `env`', { default: false }),
  template: arg.text('Template engine that renders the command and `cwd`', { optional: true }),
  rstrip: arg.flag('Whether to remove white space at the end of the output', { default: true }),
  umask: arg.textOrNumber('Umask in octal, as number or text', { optional: true }),
  output_encoding: arg.text('Encoding of the output', { optional: true }),
  output_loglevel: arg.text('Log level of the output, or `quiet`', { default: 'debug' }),
  log_callback: arg.text('Ignored', { optional: true }),
  hide_output: arg.flag('Whether to omit the output from the answer', { default: false }),
  timeout: arg.textOrNumber('Timeout in seconds, as number', { optional: true }),
  reset_system_locale: arg.flag('Whether to set the locale to C', { default: true }),
  ignore_retcode: arg.flag('Whether every return code counts as success', { default: false }),
  saltenv: arg.text('Environment of the file server for templates and sources', { optional: true }),
  use_vt: arg.flag('Accepted for compatibility', { default: false }),
  redirect_stderr: arg.flag('Whether to include the errors in the output', { default: false }),
  bg: arg.flag('Whether to run in the background', { default: false }),
  password: arg.text('Only for Windows', { optional: true, secret: true }),
  encoded_cmd: arg.flag('Only for Windows', { default: false }),
  raise_err: arg.flag('Whether a failed command raises an error', { default: false }),
  prepend_path: arg.text('Directory to prepend to PATH', { optional: true }),
  success_retcodes: arg.textOrList('Return codes that count as 0: a list, or text with commas', { optional: true }),
  success_stdout: arg.textOrList('Texts in the output that make the return code 0: a list, or text with commas', {
    optional: true,
  }),
  success_stderr: arg.textOrList('Texts in the errors that make the return code 0: a list, or text with commas', {
    optional: true,
  }),
  args: arg.textOrList('Arguments of the script, as text or list', { optional: true }),
}

type Name = keyof typeof ARGUMENTS

/** Return parameters by name, in that order. */
export function args(names: string): Record<string, Arg<Value>> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, ARGUMENTS[name as Name]]))
}

export const further = arg.open('Passed on: `pillarenv`, `pillar`, `stdin_raw_newlines`')
