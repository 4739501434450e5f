// Keys of KMS as states.
import { type Dict, isDict, loadJson, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, defineState, type StateContext, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN, loginOf } from '../common/login.ts'
import { fieldChange, type Part, Parts } from '../common/part.ts'
import { unordered } from '../common/unordered.ts'

async function ask(ctx: StateContext, fun: string, login: AwsLogin, given: Record<string, Value>): Promise<Dict> {
  const answer = (await ctx.call(`boto_kms.${fun}`, [], { ...given, ...loginOf(login) })) as Value
  return isDict(answer) ? answer : new Map()
}

/** Return AWS's error of a call; undefined if it succeeded. */
function refusal(answer: Dict): string | undefined {
  const error = answer.get('error') ?? null
  if (error === null) return undefined
  return isDict(error) ? str(error.get('message') ?? '') : str(error)
}

const NOTHING: Part = { result: true, comment: '' }

interface Key {
  ctx: StateContext
  login: AwsLogin
  id: string
  metadata: Dict
}

/** Change one setting of a key, unless this is a dry run. */
async function change(
  { ctx, login, id }: Key,
  step: { fun: string; given?: Record<string, Value>; foreseen: string; done: string; refused: string; changes: Dict },
): Promise<Part> {
  const { fun, given = {}, foreseen, done, refused, changes } = step
  if (ctx.test) return { result: null, comment: foreseen, changes }
  const message = refusal(await ask(ctx, fun, login, { key_id: id, ...given }))
  if (message !== undefined) return { result: false, comment: `${refused}: ${message}.` }
  return { result: true, comment: done, changes }
}

async function describe(key: Key, description: string | null): Promise<Part> {
  const present = key.metadata.get('Description') ?? ''
  if (description === null || str(present) === description) return NOTHING
  return change(key, {
    fun: 'update_key_description',
    given: { description },
    foreseen: 'Key set to have description updated.',
    done: 'Updated key description.',
    refused: 'Failed to update key description',
    changes: fieldChange('description', present, description),
  })
}

async function setPolicy(key: Key, policy: Value): Promise<Part> {
  const found = await ask(key.ctx, 'get_key_policy', key.login, { key_id: key.id, policy_name: 'default' })
  const message = refusal(found)
  if (message !== undefined) return { result: false, comment: `Failed to read key policy: ${message}.` }
  const present = found.get('key_policy') ?? null
  if (unordered(present) === unordered(policy)) return NOTHING
  return change(key, {
    fun: 'put_key_policy',
    given: { policy_name: 'default', policy },
    foreseen: 'Key set to have key policy updated.',
    done: 'Updated key policy.',
    refused: 'Failed to update key policy',
    changes: fieldChange('policy', present, policy),
  })
}

async function setEnabled(key: Key, enabled: boolean): Promise<Part> {
  const isEnabled = truthy(key.metadata.get('Enabled') ?? false)
  if (isEnabled === enabled) return NOTHING
  return change(key, {
    fun: enabled ? 'enable_key' : 'disable_key',
    foreseen: 'Key set to have enabled status updated.',
    done: `${enabled ? 'Enabled' : 'Disabled'} key.`,
    refused: 'Failed to update key enabled status',
    changes: fieldChange('enabled', isEnabled, enabled),
  })
}

async function setRotation(key: Key, wanted: boolean): Promise<Part> {
  const found = await ask(key.ctx, 'get_key_rotation_status', key.login, { key_id: key.id })
  const message = refusal(found)
  if (message !== undefined) return { result: false, comment: `Failed to read key rotation: ${message}.` }
  const present = truthy(found.get('result') ?? false)
  if (present === wanted) return NOTHING
  return change(key, {
    fun: wanted ? 'enable_key_rotation' : 'disable_key_rotation',
    foreseen: 'Key set to have key rotation policy updated.',
    done: `Set key rotation policy to ${str(wanted)}.`,
    refused: 'Failed to set key rotation',
    changes: fieldChange('key_rotation', present, wanted),
  })
}

interface Wanted {
  name: string
  policy: Value
  description: string | null
  key_usage: string | null
}

const creation = (name: string): Dict => fieldChange('key', null, name)

/** Create a key and its alias. Return its metadata if both exist. */
async function make(
  ctx: StateContext,
  login: AwsLogin,
  parts: Parts,
  { name, ...wanted }: Wanted,
): Promise<Dict | undefined> {
  const made = await ask(ctx, 'create_key', login, wanted)
  const message = refusal(made)
  if (message !== undefined) {
    parts.add({ result: false, comment: `Failed to create key: ${message}` })
    return undefined
  }
  const metadata = made.get('key_metadata') as Dict
  const id = str(metadata.get('KeyId') ?? '')
  const aliased = refusal(await ask(ctx, 'create_alias', login, { alias_name: `alias/${name}`, target_key_id: id }))
  if (aliased === undefined) {
    parts.add({ result: true, comment: `Key ${name} created.`, changes: creation(name) })
    return metadata
  }
  const comment = `Failed to create key alias for key_id ${id}: ${aliased}. The key stays: give it the alias, or schedule its deletion, by hand.`
  parts.add({ result: false, comment, changes: creation(id) })
  return undefined
}

/** Return the metadata of a key; null where it does not exist, undefined where AWS refuses. */
async function find(ctx: StateContext, login: AwsLogin, parts: Parts, name: string): Promise<Dict | null | undefined> {
  const given = { key_id: `alias/${name}` }
  const exists = await ask(ctx, 'key_exists', login, given)
  const isMissing = !exists.has('error') && !truthy(exists.get('result') ?? false)
  if (isMissing) return null
  const found = exists.has('error') ? exists : await ask(ctx, 'describe_key', login, given)
  const message = refusal(found)
  if (message === undefined) return found.get('key_metadata') as Dict
  parts.add({ result: false, comment: `Error when attempting to find key: ${message}.` })
  return undefined
}

interface Settings extends Wanted {
  key_rotation: boolean
  enabled: boolean
}

async function ensureKey(ctx: StateContext, login: AwsLogin, parts: Parts, settings: Settings): Promise<void> {
  const { name, policy, description, key_usage, key_rotation, enabled } = settings
  const add = (part: Part): boolean => parts.addUnlessFailed(part)
  const found = await find(ctx, login, parts, name)
  if (found === undefined) return
  if (found === null && ctx.test) {
    parts.add({ result: null, comment: 'Key is set to be created.', changes: creation(name) })
    return
  }
  const metadata = found ?? (await make(ctx, login, parts, { name, policy, description, key_usage }))
  if (metadata === undefined) return
  const key: Key = { ctx, login, id: str(metadata.get('KeyId') ?? ''), metadata }
  if (found !== null && !(add(await describe(key, description)) && add(await setPolicy(key, policy)))) return
  // rotation can be set only while a key is enabled
  const steps = [() => setEnabled(key, enabled), () => setRotation(key, key_rotation)]
  for (const step of enabled ? steps : steps.reverse()) if (!add(await step())) return
}

export default defineState({
  name: 'boto_kms',
  doc: 'Manage keys of KMS.',
  functions: {
    key_present: state({
      doc: 'Ensure that a key with an alias exists, with the given policy and settings. Keys are not deleted; disable them.',
      args: {
        name: arg.text('Alias of the key, without `alias/`'),
        policy: arg.any('Who may do what with it, as a dict or JSON'),
        description: arg.text('What it is for; not changed unless given', { optional: true }),
        key_usage: arg.text('`ENCRYPT_DECRYPT` or `SIGN_VERIFY`; of a new key only', { optional: true }),
        grants: arg.list('Not looked at', { optional: true }),
        manage_grants: arg.flag('Not looked at', { default: false }),
        key_rotation: arg.flag('Whether AWS rotates it every year', { default: false }),
        enabled: arg.flag('Whether it can be used', { default: true }),
        ...LOGIN,
      },
      run: async (ctx, { policy: given, grants: _grants, manage_grants, region, key, keyid, profile, ...settings }) => {
        const policy = typeof given === 'string' ? loadJson(given) : given
        if (!truthy(policy)) throw misuse('policy is a required argument.')
        if (manage_grants) ctx.log('warning', 'boto_kms.key_present does not manage grants')
        const parts = new Parts()
        await ensureKey(ctx, { region, key, keyid, profile }, parts, { ...settings, policy })
        return parts.report(settings.name)
      },
    }),
  },
})
