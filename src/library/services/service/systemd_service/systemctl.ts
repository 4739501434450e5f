// Command lines of systemctl. Actions run in a separate scope (`systemd-run --scope`), so that stopping the minion does
// not end the action; the option `systemd.scope: False` disables that.
import { failure, shlexSplit, splitLines, truthy } from '../../../../data/mod.ts'
import {
  type CommandOutcome,
  type FunctionContext,
  isBootedWithSystemd,
  runAll,
  systemdVersion,
} from '../../../../sdk/mod.ts'

export const UNIT_TYPES = ['service', 'socket', 'device', 'mount', 'automount', 'swap', 'target', 'path', 'timer']

/** Return the name with `.service`, unless it ends with another unit type, with or without a dot before it. */
export function unitName(name: string): string {
  return UNIT_TYPES.some((type) => name.endsWith(type)) ? name : `${name}.service`
}

/** Return a path below another root directory. */
export function below(root: string | null, path: string): string {
  return root ? `${root.replace(/\/$/, '')}${path}` : path
}

const REACHABLE = 'salt.utils.systemd.status'

async function isReachable(ctx: FunctionContext): Promise<boolean> {
  const known = ctx.memory.get(REACHABLE)
  if (known !== undefined) return known === true
  const { stderr } = await ctx.host.run({ argv: ['systemctl', 'status'], maxOutput: 65536 })
  const found = !Buffer.from(stderr).includes('Failed to get D-Bus connection: No such file or directory')
  ctx.memory.set(REACHABLE, found)
  return found
}

async function hasScopes(ctx: FunctionContext): Promise<boolean> {
  if (!(await isBootedWithSystemd(ctx.host))) return false
  const version = await systemdVersion(ctx)
  if (version === null) return false
  return (await isReachable(ctx)) && Number(version) >= 205
}

export async function usesScopes(ctx: FunctionContext): Promise<boolean> {
  return (await hasScopes(ctx)) && truthy(await ctx.call('config.get', ['systemd.scope', true]))
}

export interface Systemctl {
  name?: string
  scope?: boolean
  noBlock?: boolean | null
  root?: string | null
  further?: readonly string[]
}

export async function systemctl(ctx: FunctionContext, action: string, options: Systemctl = {}): Promise<string[]> {
  const words: string[] = []
  if (options.scope === true && (await usesScopes(ctx))) {
    const run = await ctx.host.which('systemd-run')
    if (run === undefined) {
      throw failure(
        'systemd-run is required for running systemctl with --scope, but it was not found on the system. Make sure ' +
          "systemd-run is installed and in the system's PATH or disable it using the 'systemd.scope' config option.",
      )
    }
    words.push(run, '--scope')
  }
  words.push((await ctx.host.which('systemctl')) ?? 'systemctl')
  if (options.noBlock) words.push('--no-block')
  if (options.root) words.push('--root', options.root)
  words.push(...shlexSplit(action))
  if (options.name !== undefined) words.push(unitName(options.name))
  if (words.includes('status')) words.push('-n', '0')
  return [...words, ...(options.further ?? [])]
}

export async function unitStatus(ctx: FunctionContext, name: string): Promise<CommandOutcome> {
  return runAll(ctx, await systemctl(ctx, 'status', { name }), { redirect_stderr: true, ignore_retcode: true })
}

/** Return an error text of systemctl without the line that names the scope. */
export function withoutScope(text: string): string {
  return splitLines(text)
    .filter((line) => !line.endsWith('.scope'))
    .join('\n')
    .trim()
}
