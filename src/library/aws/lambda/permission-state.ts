// The permissions of a Lambda function in a state.
import { type Dict, isDict, loadJson, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import type { StateContext } from '../../../sdk/mod.ts'
import type { AwsLogin } from '../common/login.ts'
import { oldNew, type Part } from '../common/part.ts'
import { errorOf } from '../common/state-calls.ts'
import { unordered } from '../common/unordered.ts'
import { principalOf } from './permission-functions.ts'
import { ask } from './state-calls.ts'

const REQUIRED = ['Action', 'Principal']
const ALLOWED = new Set([...REQUIRED, 'SourceArn', 'SourceAccount', 'Qualifier'])

/** Return wanted permissions by the ids of their statements. */
export function wantedPermissions(given: Value): Dict {
  const wanted = typeof given === 'string' ? loadJson(given) : given
  if (wanted === null) return new Map()
  if (!isDict(wanted)) throw misuse('Permissions must be a dict by the ids of statements')
  for (const [sid, permission] of wanted) {
    if (!isDict(permission)) throw misuse(`The permission '${str(sid)}' must be a dict`)
    if (!REQUIRED.every((name) => permission.has(name)))
      throw misuse(`${REQUIRED.join(', ')} are required for each permission specification`)
    const others = [...permission.keys()].map(str).filter((name) => !ALLOWED.has(name))
    if (others.length > 0) throw misuse(`Invalid permission value ${others.join(', ')}`)
  }
  return wanted
}

interface Target extends AwsLogin {
  FunctionName: string
}

const qualifierOf = (permission: Dict): string | null => {
  const qualifier = permission.get('Qualifier') ?? null
  return qualifier === null ? null : str(qualifier)
}

/** Return a permission in a form for comparison: texts, and accounts in place of their ARNs. */
const comparable = (permission: Dict): string =>
  unordered(
    new Map(
      [...permission].map(([name, value]) => [name, name === 'Principal' ? principalOf(str(value)) : str(value)]),
    ),
  )

/** Return the present permissions: those of the function, and those of each wanted version or alias. */
async function presentPermissions(ctx: StateContext, { FunctionName, ...login }: Target, wanted: Dict): Promise<Dict> {
  const present: Dict = new Map()
  const qualifiers = new Set([null, ...[...wanted.values()].filter(isDict).map(qualifierOf)])
  for (const Qualifier of qualifiers) {
    const found = (await ask(ctx, 'get_permissions', login, { FunctionName, Qualifier })).get('permissions') ?? null
    for (const [sid, permission] of isDict(found) ? found : []) {
      if (isDict(permission)) present.set(sid, Qualifier === null ? permission : withQualifier(permission, Qualifier))
    }
  }
  return present
}

const withQualifier = (permission: Dict, qualifier: string): Dict => new Map(permission).set('Qualifier', qualifier)

/** Remove and add one permission. Return AWS's error. */
async function replace(
  ctx: StateContext,
  { FunctionName, ...login }: Target,
  { sid, old, now }: { sid: string; old: Dict | undefined; now: Dict | undefined },
): Promise<string | undefined> {
  if (old !== undefined) {
    const given = { FunctionName, StatementId: sid, Qualifier: qualifierOf(old) }
    const removed = await ask(ctx, 'remove_permission', login, given)
    if (!truthy(removed.get('updated') ?? false)) return errorOf(removed)
  }
  if (now === undefined) return undefined
  const parameters = Object.fromEntries([...now].map(([name, value]) => [str(name), value]))
  const added = await ask(ctx, 'add_permission', login, { FunctionName, StatementId: sid, ...parameters })
  return truthy(added.get('updated') ?? false) ? undefined : errorOf(added)
}

/** Ensure that a function has the wanted permissions, and no others. */
export async function permissionsPart(ctx: StateContext, target: Target, wanted: Dict): Promise<Part> {
  const present = await presentPermissions(ctx, target, wanted)
  const [before, after]: [Dict, Dict] = [new Map(), new Map()]
  for (const sid of new Set([...present.keys(), ...wanted.keys()].map(str))) {
    const [old, now] = [present.get(sid) as Dict | undefined, wanted.get(sid) as Dict | undefined]
    if (old !== undefined && now !== undefined && comparable(old) === comparable(now)) continue
    const message = ctx.test ? undefined : await replace(ctx, target, { sid, old, now })
    if (message !== undefined) return { result: false, comment: `Failed to update function: ${message}.` }
    before.set(sid, old ?? new Map())
    after.set(sid, now ?? new Map())
  }
  if (after.size === 0) return { result: true, comment: '' }
  const changes = oldNew(new Map([['Permissions', before]]), new Map([['Permissions', after]]))
  return { result: ctx.test ? null : true, comment: '\nFunction permissions to be modified', changes }
}
