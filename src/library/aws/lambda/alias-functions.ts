// Aliases of functions of Lambda: names of versions.
import type { Dict } from '../../../data/mod.ts'
import { arg, changes, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { orError } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { fieldsOf, functionPath, lambdaOf, listed, type Reply, send } from './lambda.ts'

const ALIAS = { FunctionName: arg.text('Name of the function'), Name: arg.text('Name of the alias') }

const FIELDS = ['Name', 'FunctionVersion', 'Description']

interface Named {
  FunctionName: string
  Name: string
}

/** Return an alias; undefined if it does not exist. */
async function findAlias(
  ctx: FunctionContext,
  login: AwsLogin,
  { FunctionName, Name }: Named,
): Promise<Dict | undefined> {
  const path = functionPath(FunctionName, 'aliases')
  const aliases = await listed(lambdaOf(ctx, login), { action: 'ListAliases', path, list: 'Aliases' })
  return aliases.find((one) => one.get('Name') === Name)
}

export const ALIASES = {
  create_alias: changes({
    doc: 'Give a version of a function a name.',
    example: "boto_lambda.create_alias myfunction live '$LATEST' 'In use'",
    args: {
      ...ALIAS,
      FunctionVersion: arg.text('Version, such as `$LATEST`'),
      Description: arg.text('What it is for', { default: '' }),
      ...LOGIN,
    },
    returns: ret.dict('`created` and `name`, or `created` and `error`'),
    run: (ctx, { FunctionName, Name, FunctionVersion, Description, ...login }) => {
      const content = { Name, FunctionVersion, Description }
      const path = functionPath(FunctionName, 'aliases')
      const made = send(lambdaOf(ctx, login), { action: 'CreateAlias', method: 'POST', path, content })
      return orError(
        made.then((alias): Reply => ({ created: true, name: alias.get('Name') ?? Name })),
        { created: false },
      )
    },
  }),
  delete_alias: changes({
    doc: 'Delete an alias of a function.',
    example: 'boto_lambda.delete_alias myfunction live',
    args: { ...ALIAS, ...LOGIN },
    returns: ret.dict('`deleted`, and `error` where AWS refuses'),
    run: (ctx, { FunctionName, Name, ...login }) => {
      const path = functionPath(FunctionName, 'aliases', Name)
      const gone = send(lambdaOf(ctx, login), { action: 'DeleteAlias', method: 'DELETE', path })
      return orError(
        gone.then((): Reply => ({ deleted: true })),
        { deleted: false },
      )
    },
  }),
  alias_exists: reads({
    doc: 'Return whether a function has an alias.',
    example: 'boto_lambda.alias_exists myfunction live',
    args: { ...ALIAS, ...LOGIN },
    returns: ret.dict('`exists`, or `error`'),
    run: (ctx, { FunctionName, Name, ...login }) =>
      orError(findAlias(ctx, login, { FunctionName, Name }).then((found): Reply => ({ exists: found !== undefined }))),
  }),
  describe_alias: reads({
    doc: 'Return an alias of a function.',
    example: 'boto_lambda.describe_alias myfunction live',
    args: { ...ALIAS, ...LOGIN },
    returns: ret.dict('`alias`, which is None where there is none, or `error`'),
    run: (ctx, { FunctionName, Name, ...login }) =>
      orError(
        findAlias(ctx, login, { FunctionName, Name }).then(
          (found): Reply => ({ alias: found === undefined ? null : fieldsOf(found, ['AliasArn', ...FIELDS]) }),
        ),
      ),
  }),
  update_alias: changes({
    doc: 'Change an alias of a function. What is not given stays.',
    example: 'boto_lambda.update_alias myfunction live 2',
    args: {
      ...ALIAS,
      FunctionVersion: arg.text('Version, such as `$LATEST`', { optional: true }),
      Description: arg.text('What it is for', { optional: true }),
      ...LOGIN,
    },
    returns: ret.dict('`updated` and `alias`, or `updated` and `error`'),
    run: (ctx, { FunctionName, Name, FunctionVersion, Description, ...login }) => {
      const content = { FunctionVersion, Description }
      const path = functionPath(FunctionName, 'aliases', Name)
      const done = send(lambdaOf(ctx, login), { action: 'UpdateAlias', method: 'PUT', path, content })
      return orError(
        done.then((alias): Reply => ({ updated: true, alias: fieldsOf(alias, FIELDS) })),
        { updated: false },
      )
    },
  }),
}
