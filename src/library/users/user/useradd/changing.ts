// Changing users through usermod. Whether it worked is seen in the account afterwards, not in what usermod says.
import { equals, PyError, PySet, SaltError, str, textOf, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { GECOS, type GecosField, gecosOf, groupsOf, info, kernelIs, program, rootOption, userOf } from './passwd.ts'

const PLAINLY = { python_shell: false }

export async function changeAttribute(
  ctx: FunctionContext,
  name: Value,
  { key, option, root, move = false }: { key: string; option: string; root: Value; move?: boolean },
  value: Value,
): Promise<boolean> {
  const before = await info(ctx, name, root)
  if (before.size === 0) throw new SaltError('CommandExecutionError', `User '${str(name)}' does not exist`)
  if (equals(value, before.get(key)!)) return true
  const moving = move && !kernelIs(ctx, 'OpenBSD') ? ['-m'] : []
  const command = [await program(ctx, 'usermod'), ...rootOption(ctx, root), ...moving, option, value, name]
  await ctx.call('cmd.run', [command], PLAINLY)
  const after = (await info(ctx, name, root)).get(key)
  return after !== undefined && equals(after, value)
}

export async function changeGecos(
  ctx: FunctionContext,
  name: Value,
  field: GecosField,
  given: Value,
  root: Value,
): Promise<boolean> {
  const value = given === null ? '' : str(given)
  const before = gecosOf(await existing(ctx, name, root))
  if (before[field] === value) return true
  const fields: Record<GecosField, string> = { ...before, [field]: value }
  const text = GECOS.map((key) => fields[key])
    .join(',')
    .replace(/,+$/, '')
  const command = [await program(ctx, 'usermod'), ...rootOption(ctx, root), '-c', text, name]
  await ctx.call('cmd.run', [command], PLAINLY)
  return gecosOf(await existing(ctx, name, root))[field] === value
}

async function existing(ctx: FunctionContext, name: Value, root: Value) {
  const user = await userOf(ctx, name, root)
  if (user === undefined) throw new PyError('KeyError', `"getpwnam(): name not found: '${str(name)}'"`)
  return user
}

export async function changeGroups(
  ctx: FunctionContext,
  name: Value,
  given: Value,
  append: boolean,
  root: Value,
): Promise<boolean> {
  const groups = (textOf(given)?.split(',') ?? (given as Value[])) as Value[]
  const held = await groupsOf(ctx, name)
  if (equals(new PySet(held), new PySet(groups))) return true
  const wanted = groups.map((group) => str(group)).join(',')
  const isAix = kernelIs(ctx, 'AIX')
  const options = kernelIs(ctx, 'OpenBSD') ? [append ? '-G' : '-S'] : append && !isAix ? ['-a', '-G'] : ['-G']
  const list = append && isAix ? `${held.join(',')},${wanted}` : wanted
  const command = [await program(ctx, 'usermod'), ...options, list, name, ...rootOption(ctx, root)]
  const outcome = await ctx.call('cmd.run_all', [command], PLAINLY)
  const unknownUser = str(outcome.get('stderr') ?? '').includes('not found in')
  if (outcome.get('retcode') === 0 || !unknownUser || kernelIs(ctx, 'OpenBSD', 'AIX')) {
    return outcome.get('retcode') === 0
  }
  // users of a directory service are no business of usermod, but may be in local groups
  let done = true
  for (const group of groups) {
    if ((await ctx.call('cmd.retcode', [['gpasswd', '-a', name, group]], PLAINLY)) !== 0) done = false
  }
  return done
}

export async function loginClass(ctx: FunctionContext, name: Value): Promise<string | false> {
  if (!kernelIs(ctx, 'OpenBSD')) return false
  const text = await ctx.call('cmd.run_stdout', [['userinfo', name]], PLAINLY)
  return /^class\S*[^\S\n]+(\S.*)$/m.exec(text)?.[1] ?? ''
}

export async function changeLoginClass(
  ctx: FunctionContext,
  name: Value,
  loginclass: Value,
  root: Value,
): Promise<boolean> {
  if (!kernelIs(ctx, 'OpenBSD')) return false
  if ((await loginClass(ctx, name)) === loginclass) return true
  const command = [await program(ctx, 'usermod'), '-L', loginclass, name, ...rootOption(ctx, root)]
  await ctx.call('cmd.run', [command], PLAINLY)
  return (await loginClass(ctx, name)) === loginclass
}
