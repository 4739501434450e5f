// Aliases of functions of Lambda as states.
import { isDict, truthy } from '../../../data/mod.ts'
import { arg, changed, ensure, failed, foreseen, settled, state } from '../../../sdk/mod.ts'
import { LOGIN } from '../common/login.ts'
import { errorOf } from '../common/state-calls.ts'
import { ask, type Difference, difference } from './state-calls.ts'

const ALIAS = {
  name: arg.text('Name of the state'),
  FunctionName: arg.text('Name of the function'),
  Name: arg.text('Name of the alias'),
}

export const alias_present = state({
  doc: 'Ensure that a function has an alias, with the given version.',
  args: {
    ...ALIAS,
    FunctionVersion: arg.text('Version, such as `$LATEST`'),
    Description: arg.text('What it is for', { default: '' }),
    ...LOGIN,
  },
  run: (ctx, { name: _name, FunctionName, Name, FunctionVersion, Description, ...login }) => {
    const alias = { FunctionName, Name }
    const wanted = { FunctionVersion, Description }
    const present = `\nAlias ${Name} is present.`
    return ensure<'missing' | Difference>(ctx, {
      name: Name,
      look: async () => {
        const found = await ask(ctx, 'describe_alias', login, alias)
        if (found.has('error')) return failed(`Failed to create alias: ${errorOf(found)}.`)
        const description = found.get('alias') ?? null
        return isDict(description) ? (difference(description, wanted) ?? settled(present)) : 'missing'
      },
      foresee: (gap) =>
        gap === 'missing'
          ? `Alias ${Name} is set to be created.`
          : foreseen(`Alias ${Name} set to be modified.`, { ...gap }),
      act: async (gap) => {
        if (gap === 'missing') {
          const made = await ask(ctx, 'create_alias', login, { ...alias, ...wanted })
          if (!truthy(made.get('created') ?? false)) return failed(`Failed to create alias: ${errorOf(made)}.`)
          const description = await ask(ctx, 'describe_alias', login, alias)
          return changed(`Alias ${Name} created.`, { old: { alias: null }, new: description })
        }
        const done = await ask(ctx, 'update_alias', login, { ...alias, ...wanted })
        return truthy(done.get('updated') ?? false)
          ? changed(`${present}\nAlias config to be modified`, { ...gap })
          : failed(`Failed to update alias: ${errorOf(done)}.`)
      },
    })
  },
})

export const alias_absent = state({
  doc: 'Ensure that a function has no such alias.',
  args: { ...ALIAS, ...LOGIN },
  run: (ctx, { name: _name, FunctionName, Name, ...login }) =>
    ensure(ctx, {
      name: Name,
      look: async () => {
        const found = await ask(ctx, 'alias_exists', login, { FunctionName, Name })
        if (found.has('error')) return failed(`Failed to delete alias: ${errorOf(found)}.`)
        return truthy(found.get('exists') ?? false) ? 'there' : settled(`Alias ${Name} does not exist.`)
      },
      foresee: () => `Alias ${Name} is set to be removed.`,
      act: async () => {
        const gone = await ask(ctx, 'delete_alias', login, { FunctionName, Name })
        return truthy(gone.get('deleted') ?? false)
          ? changed(`Alias ${Name} deleted.`, { old: { alias: Name }, new: { alias: null } })
          : failed(`Failed to delete alias: ${errorOf(gone)}.`)
      },
    }),
})
