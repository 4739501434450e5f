// Permissions to call functions of Lambda: statements of their policies.
import { type Dict, dictFrom, isDict, isList, loadJson, str, type Value } from '../../../data/mod.ts'
import { arg, changes, reads, ret } from '../../../sdk/mod.ts'
import { errorText, isFault, orError, unlessFault } from '../common/errors.ts'
import { LOGIN } from '../common/login.ts'
import { functionPath, lambdaOf, NOT_FOUND, type Reply, send } from './lambda.ts'

const PERMISSION = {
  FunctionName: arg.text('Name of the function'),
  StatementId: arg.text('Id of the statement'),
}
const QUALIFIER = arg.text('Version or alias', { optional: true })
const UPDATED = ret.dict('`updated`, and `error` where AWS refuses')

const qualified = (Qualifier: string | null) => (Qualifier ? { Qualifier } : {})

/** Return the account in an ARN; anything else as it is. */
export const principalOf = (text: string): string => (text.startsWith('arn:') ? (text.split(':')[4] ?? text) : text)

/** Return the principal of a statement: an account or a service. */
function principalIn(statement: Dict): Value {
  const principal = statement.get('Principal') ?? null
  if (!isDict(principal)) return principal
  const account = principal.get('AWS') ?? null
  return account === null ? (principal.get('Service') ?? null) : principalOf(str(account))
}

/** Return a permission as it is given to `add_permission`. */
function permissionOf(statement: Dict): Dict {
  const permission: Dict = dictFrom({ Action: statement.get('Action') ?? null, Principal: principalIn(statement) })
  const condition = statement.get('Condition') ?? null
  for (const [kind, name] of [
    ['ArnLike', 'SourceArn'],
    ['StringEquals', 'SourceAccount'],
  ] as const) {
    const test = isDict(condition) ? (condition.get(kind) ?? null) : null
    const value = isDict(test) ? (test.get(`AWS:${name}`) ?? test.get(`aws:${name}`) ?? null) : null
    if (value !== null) permission.set(name, value)
  }
  return permission
}

function permissionsIn(policy: Value): Dict {
  const document = typeof policy === 'string' ? loadJson(policy) : policy
  const statements = isDict(document) ? (document.get('Statement') ?? []) : []
  const all = (isList(statements) ? statements : [statements]).filter(isDict)
  return new Map(all.map((statement): [Value, Value] => [statement.get('Sid') ?? null, permissionOf(statement)]))
}

export const PERMISSIONS = {
  add_permission: changes({
    doc: 'Allow somebody to call a function.',
    example:
      'boto_lambda.add_permission myfunction fromS3 lambda:InvokeFunction s3.amazonaws.com arn:aws:s3:::mybucket',
    args: {
      ...PERMISSION,
      Action: arg.text('What is allowed, such as `lambda:InvokeFunction`'),
      Principal: arg.text('Service, account or ARN that may call'),
      SourceArn: arg.text('ARN of what the call has to come from', { optional: true }),
      SourceAccount: arg.text('Account that what calls has to belong to', { optional: true }),
      Qualifier: QUALIFIER,
      ...LOGIN,
    },
    returns: UPDATED,
    run: (ctx, { FunctionName, Qualifier, region, key, keyid, profile, ...content }) => {
      const path = functionPath(FunctionName, 'policy')
      const request = { action: 'AddPermission', method: 'POST', path, query: qualified(Qualifier), content } as const
      const done = send(lambdaOf(ctx, { region, key, keyid, profile }), request)
      return orError(
        done.then((): Reply => ({ updated: true })),
        { updated: false },
      )
    },
  }),
  remove_permission: changes({
    doc: 'Take a permission to call a function away.',
    example: 'boto_lambda.remove_permission myfunction fromS3',
    args: { ...PERMISSION, Qualifier: QUALIFIER, ...LOGIN },
    returns: UPDATED,
    run: (ctx, { FunctionName, StatementId, Qualifier, ...login }) => {
      const path = functionPath(FunctionName, 'policy', StatementId)
      const request = { action: 'RemovePermission', method: 'DELETE', path, query: qualified(Qualifier) } as const
      const done = send(lambdaOf(ctx, login), request).then((): Reply => ({ updated: true }))
      return orError(done, { updated: false })
    },
  }),
  get_permissions: reads({
    doc: 'Return the permissions to call a function, by the ids of their statements.',
    example: 'boto_lambda.get_permissions myfunction',
    args: { FunctionName: PERMISSION.FunctionName, Qualifier: QUALIFIER, ...LOGIN },
    returns: ret.dict('`permissions`, which is None where there are none, and `error` where AWS refuses'),
    run: (ctx, { FunctionName, Qualifier, ...login }) => {
      const path = functionPath(FunctionName, 'policy')
      const request = { action: 'GetPolicy', method: 'GET', path, query: qualified(Qualifier) } as const
      const found = send(lambdaOf(ctx, login), request)
      return unlessFault(
        found.then((answer): Reply => ({ permissions: permissionsIn(answer.get('Policy') ?? null) })),
        (error): Reply =>
          isFault(error, NOT_FOUND) ? { permissions: null } : { permissions: null, error: errorText(error) },
      )
    },
  }),
}
