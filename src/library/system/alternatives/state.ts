// States of alternatives.
import { splitLines, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type Result, type StateContext, type StateReturn, state } from '../../../sdk/mod.ts'

interface Program {
  name: string
  path: string
}

/** Return a reporter that puts the arguments before the usual keys. */
const reporter =
  (given: Readonly<Record<string, Result>>) =>
  (result: boolean | null, comment: string, changes: Result = {}): StateReturn => ({
    ...given,
    name: given['name'],
    result,
    changes,
    comment,
  })

const isRegistered = async (ctx: StateContext, { name, path }: Program): Promise<boolean> =>
  truthy(await ctx.call('alternatives.check_exists', [name, path]))

const chosen = async (ctx: StateContext, name: string): Promise<Value> => ctx.call('alternatives.show_current', [name])

interface Installation extends Program {
  link: string
  priority: Value
}

async function install(ctx: StateContext, { name, link, path, priority }: Installation): Promise<StateReturn> {
  const given = { name, link, path, priority }
  const ret = reporter(given)
  if (await isRegistered(ctx, given)) return ret(true, `Alternative ${path} for ${name} is already registered`)
  const level = `with priority ${str(priority)}`
  if (ctx.test) return ret(null, `Alternative will be set for ${name} to ${path} ${level}`)
  const answer = await ctx.call('alternatives.install', [name, link, path, priority])
  if (!(await isRegistered(ctx, given))) return ret(false, `Alternative for ${name} not installed: ${str(answer)}`)
  const isChosen = truthy(await ctx.call('alternatives.check_installed', [name, path]))
  const comment = isChosen
    ? `Alternative for ${name} set to path ${path} ${level}`
    : `Alternative ${path} for ${name} registered ${level} and not set to default`
  return ret(true, comment, given)
}

async function remove(ctx: StateContext, { name, path }: Program): Promise<StateReturn> {
  const ret = reporter({ name, path })
  if (await isRegistered(ctx, { name, path })) {
    if (ctx.test) return ret(null, `Alternative for ${name} will be removed`)
    await ctx.call('alternatives.remove', [name, path])
    const now = await chosen(ctx, name)
    if (!truthy(now)) return ret(true, `Alternative for ${name} removed`)
    return ret(true, `Alternative for ${name} removed. Falling back to path ${str(now)}`, { path: now })
  }
  const now = await chosen(ctx, name)
  if (truthy(now)) return ret(true, `Alternative for ${name} is set to it's default path ${str(now)}`)
  return ret(false, `Alternative for ${name} doesn't exist`)
}

async function auto(ctx: StateContext, name: string): Promise<StateReturn> {
  const ret = (result: boolean | null, comment: string, changes: Result = {}): StateReturn => ({
    name,
    result,
    comment,
    changes,
  })
  const [line = ''] = splitLines(str(await ctx.call('alternatives.display', [name])))
  if (line.endsWith(' auto mode')) return ret(true, `${name} already in auto mode`)
  if (ctx.test) return ret(null, `${name} will be put in auto mode`)
  return ret(true, '', { result: await ctx.call('alternatives.auto', [name]) })
}

async function choose(ctx: StateContext, { name, path }: Program): Promise<StateReturn> {
  const ret = reporter({ name, path })
  if ((await chosen(ctx, name)) === path) return ret(true, `Alternative for ${name} already set to ${path}`)
  const shown = splitLines(str(await ctx.call('alternatives.display', [name])))
  if (!shown.some((line) => line.startsWith(path))) {
    return ret(false, `Alternative ${path} for ${name} doesn't exist`)
  }
  if (ctx.test) return ret(null, `Alternative for ${name} will be set to path ${path}`)
  await ctx.call('alternatives.set', [name, path])
  if ((await chosen(ctx, name)) !== path) return ret(true, `Alternative for ${name} not updated`)
  return ret(true, `Alternative for ${name} set to path ${path}`, { path })
}

const name = arg.string('Name of the group, such as editor')
const path = arg.string('Path of the program')

export default defineState({
  name: 'alternatives',
  doc: 'Manage the alternatives system.',
  when: async ({ host }) =>
    (await host.stat('/etc/alternatives'))?.type === 'directory' || 'alernatives module could not be loaded',
  functions: {
    install: state({
      doc: 'Ensure that a program is an alternative of a group.',
      args: {
        name,
        link: arg.string('Path of the link'),
        path,
        priority: arg.any('Priority, as number or text; reported as given'),
      },
      run: install,
    }),
    remove: state({
      doc: 'Ensure that a program is not an alternative of a group.',
      args: { name, path },
      run: remove,
    }),
    auto: state({
      doc: 'Ensure that the priorities choose the alternative.',
      args: { name },
      run: (ctx, { name }) => auto(ctx, name),
    }),
    set: state({ doc: 'Ensure that an alternative is chosen.', args: { name, path }, calledAs: 'set_', run: choose }),
  },
})
