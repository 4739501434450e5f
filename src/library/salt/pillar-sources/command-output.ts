// The external pillars `cmd_yaml`, `cmd_yamlex` and `cmd_json`: the output of a command as pillar; `%s` in it is
// replaced by the minion id. A failed command or invalid output is logged and counts as empty.
import { BrineError } from '../../../base/mod.ts'
import { decodeBytes, PyError, shlexSplit, textOf, type Value } from '../../../data/mod.ts'
import { arg, defineExtPillar, type ExtPillar, type ExtPillarContext } from '../../../sdk/mod.ts'

/** Characters of an error that are logged. */
const MOST_SHOWN = 300

/** YAML commands go through a shell and their errors are dropped; JSON commands do neither, as in Salt. */
async function outputOf(ctx: ExtPillarContext, command: string, { name, shell }: OutputForm): Promise<string> {
  // the id goes in after the words are apart, so that it stays one
  const argv = shell ? ['/bin/sh', '-c', named(ctx, command)] : shlexSplit(command).map((word) => named(ctx, word))
  const home = (await ctx.host.env()).get('HOME') ?? '/'
  const cwd = (await ctx.host.access(home, 'read')) ? home : '/'
  const { stdout, stderr, retcode } = await ctx.host.run({ argv, cwd, mergeStderr: !shell, systemPipes: true })
  if (retcode !== 0) {
    const [reason = ''] = decodeBytes(shell ? stderr : stdout)
      .trim()
      .split('\n')
      .slice(-1)
    const [program] = command.trim().split(/\s/)
    ctx.log(
      'error',
      `ext_pillar ${name}: '${program}' ended with ${retcode}${reason && `: ${reason.slice(0, MOST_SHOWN)}`}`,
    )
  }
  return decodeBytes(stdout).replace(/[\r\n]+$/, '')
}

/** A minion chose its id, and it must mean nothing to a shell, nor to the command as an option. */
const HARMLESS_ID = /^[\w@.:+][\w@.:+-]*$/

const named = ({ minionId }: ExtPillarContext, text: string): string => text.replaceAll('%s', () => minionId)

interface OutputForm {
  name: string
  form: 'YAML' | 'JSON'
  /** Whether a shell runs the command. */
  shell: boolean
  read(output: string): Value | Promise<Value>
}

/** Declare the external pillar of a command with output in this form. */
export function commandPillar(output: OutputForm): ExtPillar {
  const { name, form, shell, read } = output
  return defineExtPillar({
    name,
    doc: `The output of a command, in ${name.replace('cmd_', '').toUpperCase()}; \`%s\` in it stands for the minion's id.`,
    args: { command: arg.any(`Command${shell ? ', for a shell' : ' and its arguments; no shell runs it'}`) },
    run: async (ctx, { command: given }) => {
      const command = textOf(given)
      if (command === undefined) return notText(ctx, form, shell)
      if (command.includes('%s') && !HARMLESS_ID.test(ctx.minionId)) {
        ctx.log(
          'critical',
          `${form} data was not asked for: the id ${JSON.stringify(ctx.minionId)} is unfit for a command`,
        )
        return new Map()
      }
      try {
        return await read(await outputOf(ctx, command, output))
      } catch (error) {
        if (!(error instanceof BrineError)) throw error
        ctx.log('critical', `${form} data from '${named(ctx, command)}' failed to parse: ${error.message}`)
        return new Map()
      }
    },
  })
}

function notText(ctx: ExtPillarContext, form: string, shell: boolean): Value {
  ctx.log('critical', `The command of an ext_pillar for ${form} data is no text`)
  if (!shell) return new Map()
  throw new PyError('Exception', "cannot access local variable 'output' where it is not associated with a value")
}
