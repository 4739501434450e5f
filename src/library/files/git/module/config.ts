// Functions of `git` for settings: of one checkout, or of a user.
import { failure, misuse, PyError, splitLines, str, truthy, type Value } from '../../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../../sdk/mod.ts'
import { asUser, optionalCwd as cwd, given, taken, text } from './arguments.ts'
import { type Access, expandPath, git } from './run.ts'

const key = arg.text('Name of the setting')
const value_regex = text('Regular expression that the values must match')

/** A setting, and the checkout it is of. */
interface Setting extends Access {
  key: string
  cwd: string | null
}

/** Return the option that names the scope, and the directory that git runs in. */
async function scopeOf(ctx: FunctionContext, { cwd, user }: Setting, global: Value) {
  const isGlobal = truthy(global)
  if (cwd === null && !isGlobal) throw misuse("'cwd' argument required unless global=True")
  const place = cwd === null ? {} : { cwd: await expandPath(ctx, cwd, user) }
  return { isGlobal, option: isGlobal ? '--global' : '--local', place }
}

async function ask(ctx: FunctionContext, args: Setting, global: Value, ...query: string[]) {
  const { option, place } = await scopeOf(ctx, args, global)
  return git(ctx, ['config', option, ...query], args, { ...place, lenient: true })
}

async function valuesOf(ctx: FunctionContext, args: Setting, global: Value): Promise<string[] | null> {
  const { retcode, stdout } = await ask(ctx, args, global, '--get-all', args.key)
  return retcode === 1 ? null : splitLines(stdout)
}

const config_get_regexp = reads({
  doc: 'Return the settings whose names match a regular expression.',
  args: {
    key: arg.text('Regular expression that the names must match'),
    value_regex,
    cwd,
    ...asUser,
    kwargs: arg.open('`global`: read the settings of the user'),
  },
  returns: ret.dict('Lists of values by name'),
  example: "git.config_get_regexp '^foo\\..*' global=True",
  run: async (ctx, args) => {
    const { global } = taken(args.kwargs, 'global')
    const { retcode, stdout } = await ask(ctx, args, global, '--get-regexp', args.key, ...given(args.value_regex))
    const found = new Map<Value, string[]>()
    if (retcode === 1) return found
    for (const line of splitLines(stdout)) {
      const [, name, value] = /^\s*(\S+)\s+(.*)$/s.exec(line) ?? []
      if (name !== undefined && value !== undefined) found.set(name, [...(found.get(name) ?? []), value])
    }
    return found
  },
})

export const configFunctions = {
  config_get: reads({
    doc: 'Return the value of a setting.',
    args: {
      key,
      cwd,
      ...asUser,
      kwargs: arg.open('`all`: return all values; `global`: read the settings of the user'),
    },
    returns: ret.any('The last value, a list of all values, or None'),
    example: 'git.config_get user.name cwd=/path/to/repo',
    run: async (ctx, args) => {
      const { all, global } = taken(args.kwargs, 'all', 'global')
      const values = await valuesOf(ctx, args, global)
      return truthy(all) || values === null ? values : (values.at(-1) ?? '')
    },
  }),
  config_get_regexp,
  config_get_regex: config_get_regexp,
  config_set: changes({
    doc: 'Set the value of a setting, or several values.',
    args: {
      key,
      value: arg.any('The value; another type than text is written as text', { optional: true }),
      multivar: arg.textOrList('Several values: a list, or text with commas', { optional: true }),
      cwd,
      ...asUser,
      kwargs: arg.open('`add`: add a value; `global`: change the settings of the user'),
    },
    returns: ret.any('The list of values now set'),
    example: 'git.config_set user.email me@example.com cwd=/path/to/repo',
    run: async (ctx, args) => {
      const { add, global } = taken(args.kwargs, 'add', 'global')
      const { isGlobal, place } = await scopeOf(ctx, args, global)
      const { value, multivar } = args
      if (value !== null && multivar !== null) throw misuse("Only one of 'value' and 'multivar' is permitted")
      if (value === null && multivar === null) throw new PyError('TypeError', "'NoneType' object is not iterable")
      const several = Array.isArray(multivar) ? multivar.map(str) : str(multivar).split(',')
      for (const [index, text] of (value === null ? several : [str(value)]).entries()) {
        const adds = value === null ? index > 0 : truthy(add)
        const argv = ['config', ...(isGlobal ? ['--global'] : []), adds ? '--add' : '--replace-all', args.key, text]
        await git(ctx, argv, args, place)
      }
      return valuesOf(ctx, args, global)
    },
  }),
  config_unset: changes({
    doc: 'Remove a setting.',
    args: {
      key,
      value_regex,
      cwd,
      ...asUser,
      kwargs: arg.open('`all`: remove all values; `global`: change the settings of the user'),
    },
    returns: ret.boolean('True'),
    example: 'git.config_unset foo.bar cwd=/path/to/repo',
    run: async (ctx, args) => {
      const { all, global } = taken(args.kwargs, 'all', 'global')
      const { option, place } = await scopeOf(ctx, args, global)
      const argv = ['config', truthy(all) ? '--unset-all' : '--unset', option, args.key, ...given(args.value_regex)]
      const { retcode, stderr } = await git(ctx, argv, args, { ...place, lenient: true })
      if (retcode === 0) return true
      if (retcode === 1) throw failure('Section or key is invalid')
      if (retcode === 6) throw failure('The value_regex is invalid')
      if (retcode !== 5) {
        const reason = stderr === '' ? '' : `; ${stderr}`
        throw failure(`Failed to unset key '${args.key}', git config returned exit code ${retcode}${reason}`)
      }
      if ((await valuesOf(ctx, args, null)) === null) throw failure(`Key '${args.key}' does not exist`)
      const why = args.value_regex === null ? '' : ' and value_regex matches multiple values'
      throw failure(`Multiple values exist for key '${args.key}'${why}`)
    },
  }),
}
