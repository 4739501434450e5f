// Running of commands.
import { recover } from '../../../base/mod.ts'
import { type Dict, failure, isList, PyError, str, truthy, type Value } from '../../../data/mod.ts'
import {
  type Arg,
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isHostError,
  type Result,
  type Returns,
  reads,
  ret,
} from '../../../sdk/mod.ts'
import { args, further } from './module/arguments.ts'
import { runInChroot } from './module/chroot.ts'
import { execute, shellChoice } from './module/execute.ts'
import { type Given, given } from './module/given.ts'
import { allArguments, objectArguments, powershell, powershellAll } from './module/powershell.ts'
import { runScript } from './module/script.ts'
import { availableShells, shellInfo } from './module/shells.ts'

const SURROUNDINGS = 'cwd stdin runas group shell python_shell env clean_env template rstrip umask output_encoding'
const REPORTING = 'output_loglevel log_callback hide_output timeout reset_system_locale ignore_retcode saltenv use_vt'
const SUCCESS = 'prepend_path success_retcodes success_stdout success_stderr'

/** Run a command and return its output, unless it is hidden; with `raise_err` a failure raises an error. */
async function output(ctx: FunctionContext, call: Given): Promise<string> {
  const merged = truthy(given(call, 'redirect_stderr') ?? true)
  const outcome = await execute(ctx, call, merged ? 'merged' : 'apart')
  const text = truthy(given(call, 'hide_output')) ? '' : str(outcome.get('stdout')!)
  const failed = outcome.get('retcode') !== 0 && !truthy(given(call, 'ignore_retcode'))
  if (failed && truthy(given(call, 'raise_err')) && given(call, 'output_loglevel') !== 'quiet') {
    throw failure(text)
  }
  return text
}

async function everything(ctx: FunctionContext, call: Given): Promise<Dict> {
  const outcome = await execute(ctx, call, truthy(given(call, 'redirect_stderr')) ? 'merged' : 'apart')
  return hidden(outcome, call)
}

function hidden(outcome: Map<Value, Value>, call: Given): Map<Value, Value> {
  if (truthy(given(call, 'hide_output'))) outcome.set('stdout', '').set('stderr', '')
  return outcome
}

const OUTCOME = ret.dict('Process id, return code, output and errors')
const CODE = ret.any('The return code; None for a command in the background')

const withShell = (ctx: FunctionContext, call: Given): Given => ({ ...call, python_shell: shellChoice(ctx, call) })

function command<R extends Result>(
  doc: string,
  parameters: Record<string, Arg<Value>>,
  run: (ctx: FunctionContext, call: Given) => Promise<NoInfer<R>>,
  returns: Returns<R>,
) {
  return changes({
    doc,
    args: { ...parameters, options: further },
    returns,
    examples: [],
    run: (ctx, call) => run(ctx, withShell(ctx, call)),
  })
}

/** Return one of the two streams. */
const stream = (name: 'stdout' | 'stderr') => async (ctx: FunctionContext, call: Given) => {
  const outcome = await execute(ctx, call, 'apart')
  return truthy(given(call, 'hide_output')) ? '' : str(outcome.get(name)!)
}

const redirect_stderr = arg.flag('Whether to include the errors in the output', { default: true })
const source = arg.text('Path or URL of the script')
const SCRIPT = 'args cwd stdin runas group shell python_shell env template umask'

async function execCode(ctx: FunctionContext, call: Given): Promise<Dict> {
  const path = await ctx.host.tempFile({ prefix: '__salt.tmp.' })
  try {
    await ctx.host.write(path, str(given(call, 'code')))
    const words = given(call, 'args')
    const list = isList(words) ? words : typeof words === 'string' ? [words] : []
    const lang = str(given(call, 'lang'))
    const file = lang.toLowerCase().startsWith('powershell') ? ['-File', path] : [path]
    const user = given(call, 'runas')
    if (user !== null) await ctx.host.chown(path, (await ctx.host.user(str(user)))?.uid ?? -1, -1)
    return await everything(ctx, { ...call, cmd: [lang, ...file, ...list], python_shell: false })
  } finally {
    await ctx.host.remove(path)
  }
}

const code = {
  lang: arg.string('Interpreter'),
  code: arg.text('Source code'),
  cwd: arg.text('Working directory', { optional: true }),
  args: arg.any('Arguments, as text or list', { optional: true }),
}

const program = arg.text('Program name')

export default defineModule({
  name: 'cmd',
  doc: 'Run commands.',
  functions: {
    run: command(
      'Run a command, and return its output and errors together.',
      {
        ...args(`cmd ${SURROUNDINGS} ${REPORTING}`),
        redirect_stderr,
        ...args(`bg password encoded_cmd raise_err ${SUCCESS}`),
      },
      output,
      ret.string('The output and errors'),
    ),
    shell: changes({
      doc: 'Run a command line in a shell.',
      args: {
        ...args(`cmd ${SURROUNDINGS.replace('python_shell ', '')} ${REPORTING} bg password ${SUCCESS}`),
        options: further,
      },
      returns: ret.string('The output and errors'),
      example: "cmd.shell 'ls -l | grep foo'",
      run: (ctx, call) => output(ctx, { ...call, python_shell: given(call, 'python_shell') ?? true }),
    }),
    run_stdout: command(
      'Run a command, and return its output.',
      args(`cmd ${SURROUNDINGS} ${REPORTING} password ${SUCCESS}`),
      stream('stdout'),
      ret.string('The output'),
    ),
    run_stderr: command(
      'Run a command, and return its errors.',
      args(`cmd ${SURROUNDINGS} ${REPORTING} password ${SUCCESS}`),
      stream('stderr'),
      ret.string('The errors'),
    ),
    run_all: command(
      'Run a command, and return process id, return code, output and errors.',
      args(`cmd ${SURROUNDINGS} ${REPORTING} redirect_stderr password encoded_cmd ${SUCCESS}`),
      everything,
      OUTCOME,
    ),
    retcode: command(
      'Run a command, and return its return code.',
      args(
        `cmd ${SURROUNDINGS.replace('rstrip ', '')} ${REPORTING.replace('hide_output ', '')} password ${SUCCESS.replace('prepend_path ', '')}`,
      ),
      async (ctx, call) => (await execute(ctx, call, 'merged')).get('retcode')!,
      CODE,
    ),
    script: command(
      'Fetch and run a script; return process id, return code, output and errors.',
      {
        source,
        ...args(
          `${SCRIPT} output_encoding output_loglevel log_callback hide_output timeout reset_system_locale saltenv use_vt bg password ${SUCCESS.replace('prepend_path ', '')}`,
        ),
      },
      async (ctx, call) => hidden(await runScript(ctx, call), call),
      OUTCOME,
    ),
    script_retcode: command(
      'Fetch and run a script, and return its return code.',
      {
        source,
        ...args(SCRIPT.replace(' template umask', '')),
        template: arg.text('Template engine that renders the script', { default: 'jinja' }),
        ...args(
          `umask timeout reset_system_locale saltenv output_encoding output_loglevel log_callback use_vt password ${SUCCESS.replace('prepend_path ', '')}`,
        ),
      },
      async (ctx, call) => {
        const retcode = (await runScript(ctx, call)).get('retcode')
        if (retcode === undefined) throw new PyError('KeyError', "'retcode'")
        return retcode
      },
      CODE,
    ),
    which: reads({
      doc: 'Return the path of a program.',
      args: { cmd: program },
      returns: ret.optional(ret.string('The path, or None')),
      example: 'cmd.which cat',
      run: (ctx, { cmd }) => (cmd ? ctx.host.which(cmd) : null),
    }),
    which_bin: reads({
      doc: 'Return the path of the first program that exists.',
      args: { cmds: arg.words('Program names, as a list or with commas') },
      returns: ret.optional(ret.string('The path, or None')),
      example: "cmd.which_bin '[pip2, pip, pip-python]'",
      run: async (ctx, { cmds }) => {
        for (const name of cmds) {
          const path = await ctx.host.which(name)
          if (path !== undefined) return path
        }
        return null
      },
    }),
    has_exec: reads({
      doc: 'Return whether a program exists.',
      args: { cmd: program },
      returns: ret.boolean('Whether it exists'),
      example: 'cmd.has_exec cat',
      run: async (ctx, { cmd }) => (await ctx.host.which(cmd)) !== undefined,
    }),
    exec_code: command(
      'Run source code, and return its output.',
      code,
      async (ctx, call) => str((await execCode(ctx, call)).get('stdout')!),
      ret.string('The output'),
    ),
    exec_code_all: command(
      'Run source code; return process id, return code, output and errors.',
      code,
      execCode,
      OUTCOME,
    ),
    tty: changes({
      doc: 'Write a text to a terminal.',
      args: { device: arg.string('Terminal, such as tty1 or pts3'), echo: arg.text('Text', { default: '' }) },
      returns: ret.dict('Success or Error, with a text'),
      example: "cmd.tty tty0 'This is a test'",
      run: async (ctx, { device, echo }) => {
        if (!/^(tty|pts)/.test(device)) return { Error: 'The specified device is not a valid TTY' }
        const path = `/dev/${device.startsWith('pts') ? device.replaceAll('pts', 'pts/') : device}`
        return recover(isHostError, { Error: `Echoing to ${path} returned error` }, async () => {
          await ctx.host.write(path, echo)
          return { Success: `Message was successfully echoed to ${path}` }
        })
      },
    }),
    run_chroot: changes({
      doc: 'Run a command in another root directory.',
      args: {
        root: arg.text('Root directory'),
        ...args('cmd cwd stdin runas group shell'),
        python_shell: arg.flag('Whether to run the command in a shell', { default: true }),
        binds: arg.words('Directories to bind mount inside the root, as a list or with commas', { optional: true }),
        ...args('env clean_env template rstrip umask output_encoding'),
        output_loglevel: arg.text('Log level of the output', { default: 'quiet' }),
        ...args(`${REPORTING.replace('output_loglevel ', '')} bg ${SUCCESS.replace('prepend_path ', '')}`),
        options: further,
      },
      returns: OUTCOME,
      example: "cmd.run_chroot /var/lib/lxc/container_name/rootfs 'sh /tmp/bootstrap.sh'",
      run: async (ctx, call) => hidden(await runInChroot(ctx, call), call),
    }),
    shells: reads({
      doc: 'Return the shells of this machine.',
      returns: ret.texts('The paths'),
      run: (ctx) => availableShells(ctx),
    }),
    shell_info: reads({
      doc: 'Return the version and path of a shell or interpreter.',
      args: {
        shell: arg.string('Name of the shell'),
        list_modules: arg.boolean('Whether to list its modules, on Windows', { default: false }),
      },
      returns: ret.dict('The details'),
      example: 'cmd.shell_info bash',
      run: (ctx, { shell }) => shellInfo(ctx, shell),
    }),
    powershell: command(
      'Run a PowerShell command, and return the objects of its output.',
      objectArguments,
      powershell,
      ret.any('The objects'),
    ),
    powershell_all: command(
      'Run a PowerShell command; return process id, return code, errors and the objects of its output.',
      allArguments,
      powershellAll,
      ret.dict('Process id, return code, errors and the objects'),
    ),
    run_bg: command(
      'Start a command in the background.',
      args(
        `cmd cwd runas group shell python_shell env clean_env template umask timeout output_encoding output_loglevel log_callback reset_system_locale ignore_retcode saltenv password ${SUCCESS}`,
      ),
      async (ctx, call) => {
        const outcome = await execute(ctx, { ...call, bg: true, rstrip: false }, 'apart')
        return new Map<Value, Value>([['pid', outcome.get('pid')!]])
      },
      ret.dict('The process id'),
    ),
  },
})
