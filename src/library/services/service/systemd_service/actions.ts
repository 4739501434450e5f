// Changes of units: start and stop, enable and disable, mask and unmask.
import { failure } from '../../../../data/mod.ts'
import { CommandError, type FunctionContext, outputOf, runAll, succeeds } from '../../../../sdk/mod.ts'
import { below, systemctl, unitName, usesScopes, withoutScope } from './systemctl.ts'
import { isMasked, isSysvEnabled, noticeChanges, sysvServices } from './units.ts'

export interface Unmasking {
  unmask: boolean
  unmask_runtime: boolean
}

export async function unmask(ctx: FunctionContext, name: string, runtime: boolean, root: string | null): Promise<true> {
  await noticeChanges(ctx, name)
  if (!(await isMasked(ctx, name, runtime, root))) return true
  const cmd = await systemctl(ctx, runtime ? 'unmask --runtime' : 'unmask', { name, scope: true, root })
  const { retcode } = await runAll(ctx, cmd, { redirect_stderr: true })
  if (retcode !== 0) throw failure(`Failed to unmask service '${name}'`)
  return true
}

export async function mask(ctx: FunctionContext, name: string, runtime: boolean, root: string | null): Promise<true> {
  await noticeChanges(ctx, name)
  const cmd = await systemctl(ctx, runtime ? 'mask --runtime' : 'mask', { name, scope: true, root })
  const { retcode, stdout } = await runAll(ctx, cmd, { redirect_stderr: true })
  if (retcode === 0) return true
  throw new CommandError(`Failed to mask service '${name}'`, stdout)
}

async function unmaskFirst(ctx: FunctionContext, name: string, options: Unmasking, root: string | null): Promise<void> {
  if (options.unmask) await unmask(ctx, name, false, root)
  if (options.unmask_runtime) await unmask(ctx, name, true, root)
}

/** Start, restart or reload a unit; raise the error text of systemctl. */
export async function act(
  ctx: FunctionContext,
  verb: string,
  name: string,
  options: Unmasking & { no_block: boolean | null },
): Promise<true> {
  await noticeChanges(ctx, name)
  await unmaskFirst(ctx, name, options, null)
  const outcome = await runAll(ctx, await systemctl(ctx, verb, { name, scope: true, noBlock: options.no_block }))
  if (outcome.retcode === 0) return true
  throw failure(withoutScope(outcome.stderr))
}

/** Return whether not to wait; the minion does not wait for its own end. */
export const isDetached = (name: string, wanted: boolean | null): boolean =>
  wanted ?? unitName(name) === 'salt-minion.service'

export async function stop(ctx: FunctionContext, name: string, noBlock: boolean | null): Promise<boolean> {
  await noticeChanges(ctx, name)
  const cmd = await systemctl(ctx, 'stop', { name, scope: true, noBlock: isDetached(name, noBlock) })
  return (await runAll(ctx, cmd)).retcode === 0
}

async function scriptTool(ctx: FunctionContext): Promise<string> {
  const tools = ['update-rc.d', 'chkconfig']
  for (const tool of tools) {
    const path = await ctx.host.which(tool)
    if (path !== undefined) return path
  }
  throw failure(`Unable to find sysv service manager (tried ${tools.join(', ')})`)
}

async function switchScript(ctx: FunctionContext, name: string, on: boolean): Promise<boolean> {
  const tool = await scriptTool(ctx)
  const scope = (await usesScopes(ctx)) ? ['systemd-run', '--scope'] : []
  const words = tool.endsWith('/update-rc.d')
    ? ['-f', name, ...(on ? ['defaults', '99'] : ['remove'])]
    : [name, on ? 'on' : 'off']
  return succeeds(ctx, [...scope, tool, ...words], { ignore_retcode: true })
}

interface Switching extends Unmasking {
  no_block: boolean
  root: string | null
}

export async function enable(ctx: FunctionContext, name: string, options: Switching): Promise<boolean> {
  const { root } = options
  await noticeChanges(ctx, name)
  await unmaskFirst(ctx, name, options, root)
  if ((await sysvServices(ctx, root)).includes(name)) return switchScript(ctx, name, true)
  const cmd = await systemctl(ctx, 'enable', { name, scope: true, noBlock: options.no_block, root })
  const outcome = await runAll(ctx, cmd, { ignore_retcode: true })
  if (outcome.retcode === 0) return true
  throw failure(withoutScope(outcome.stderr))
}

export async function disable(
  ctx: FunctionContext,
  name: string,
  noBlock: boolean | null,
  root: string | null,
): Promise<boolean> {
  await noticeChanges(ctx, name)
  if ((await sysvServices(ctx, root)).includes(name)) return switchScript(ctx, name, false)
  const cmd = await systemctl(ctx, 'disable', { name, scope: true, noBlock, root })
  return (await runAll(ctx, cmd, { ignore_retcode: true })).retcode === 0
}

/** Return whether a unit is enabled: an instance of a template (`name@x`) if a link to it exists, an alias if its unit is. */
export async function isEnabled(ctx: FunctionContext, name: string, root: string | null): Promise<boolean> {
  const quiet = { ignore_retcode: true }
  const { retcode, stdout } = await runAll(ctx, await systemctl(ctx, 'is-enabled', { name, root }), quiet)
  if (stdout === 'alias') {
    const show = await systemctl(ctx, 'show', { name, root, further: ['-P', 'Id'] })
    const meant = await ctx.call('cmd.run_stdout', [show], { python_shell: false })
    return succeeds(ctx, await systemctl(ctx, 'is-enabled', { name: meant, root }), quiet)
  }
  if (retcode === 0) return true
  if (name.includes('@')) {
    const find = ['find', below('/', '/etc/systemd/system'), '-name', name, '-type', 'l', '-print', '-quit']
    return (await outputOf(ctx, find)) !== ''
  }
  return (await sysvServices(ctx, root)).includes(name) && isSysvEnabled(ctx, name, root)
}
