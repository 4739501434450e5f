// Keys of KMS by Salt's names.
import { dumpJson, loadJson, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changes, defineModule, reads, ret } from '../../../sdk/mod.ts'
import { errorDict, isFault, unlessFault } from '../common/errors.ts'
import { request } from '../common/json-request.ts'
import { LOGIN } from '../common/login.ts'
import { DATA } from './data-functions.ts'
import { answered, done, keyIdOf, kmsOf, listed } from './kms.ts'

const KEY = arg.text('Id, ARN or alias (`alias/…`) of the key')
const PAGE = {
  limit: arg.count('How many entries a page has', { optional: true }),
  marker: arg.text('Where to begin', { optional: true }),
}
const DONE = ret.dict('`result`, and `error` where AWS refuses')

/** Return a policy as JSON; a text is JSON already. */
const policyText = (policy: Value): string | null =>
  policy === null || typeof policy === 'string' ? policy : dumpJson(policy)

/** Declare a function that calls an action with the key and nothing else. */
const switching = (fun: string, action: string, doc: string) =>
  changes({
    doc,
    example: `boto_kms.${fun} alias/mykey`,
    args: { key_id: KEY, ...LOGIN },
    returns: DONE,
    run: (ctx, { key_id, ...login }) => done(ctx, login, action, { KeyId: key_id }),
  })

export default defineModule({
  name: 'boto_kms',
  doc: 'Manage keys of KMS, and encrypt with them.',
  functions: {
    ...DATA,
    create_alias: changes({
      doc: 'Give a key another name.',
      example: 'boto_kms.create_alias alias/mykey 1234abcd-12ab-34cd-56ef-1234567890ab',
      args: {
        alias_name: arg.text('Name, with `alias/` before it'),
        target_key_id: arg.text('Id of the key'),
        ...LOGIN,
      },
      returns: DONE,
      run: (ctx, { alias_name, target_key_id, ...login }) =>
        done(ctx, login, 'CreateAlias', { AliasName: alias_name, TargetKeyId: target_key_id }),
    }),
    create_grant: changes({
      doc: 'Allow somebody to use a key.',
      example: "boto_kms.create_grant alias/mykey arn:aws:iam::1111111:role/myrole operations='[Encrypt, Decrypt]'",
      args: {
        key_id: KEY,
        grantee_principal: arg.text('ARN of who may use it'),
        retiring_principal: arg.text('ARN of who may end the grant', { optional: true }),
        operations: arg.list('What is allowed', { optional: true }),
        constraints: arg.dict('Under which conditions', { optional: true }),
        grant_tokens: arg.list('Tokens of grants', { optional: true }),
        ...LOGIN,
      },
      returns: ret.dict('`grant`, or `error`'),
      run: (ctx, given) => {
        const kms = kmsOf(ctx, given)
        const reply = async () => ({
          grant: await request(kms, 'CreateGrant', {
            KeyId: await keyIdOf(kms, given.key_id),
            GranteePrincipal: given.grantee_principal,
            RetiringPrincipal: given.retiring_principal,
            Operations: given.operations,
            Constraints: given.constraints,
            GrantTokens: given.grant_tokens,
          }),
        })
        return answered(reply())
      },
    }),
    create_key: changes({
      doc: 'Create a key.',
      example: "boto_kms.create_key '{\"Statement\": []}' 'Key of the shop'",
      args: {
        policy: arg.any('Who may do what with it, as a dict or JSON', { optional: true }),
        description: arg.text('What it is for', { optional: true }),
        key_usage: arg.text('`ENCRYPT_DECRYPT` or `SIGN_VERIFY`', { optional: true }),
        ...LOGIN,
      },
      returns: ret.dict('`key_metadata`, or `error`'),
      run: (ctx, { policy, description, key_usage, ...login }) => {
        const parameters = { Policy: policyText(policy), Description: description, KeyUsage: key_usage }
        const made = request(kmsOf(ctx, login), 'CreateKey', parameters)
        return answered(made.then((answer) => ({ key_metadata: answer.get('KeyMetadata') ?? null })))
      },
    }),
    key_exists: reads({
      doc: 'Return whether a key exists.',
      example: 'boto_kms.key_exists alias/mykey',
      args: { key_id: KEY, ...LOGIN },
      returns: ret.dict('`result`, or `error`'),
      run: (ctx, { key_id, ...login }) => {
        const found = request(kmsOf(ctx, login), 'DescribeKey', { KeyId: key_id })
        return unlessFault(
          found.then((): Record<string, Value> => ({ result: true })),
          (error) => (isFault(error, 'NotFoundException') ? { result: false } : { error: errorDict(error) }),
        )
      },
    }),
    describe_key: reads({
      doc: 'Return a key.',
      example: 'boto_kms.describe_key alias/mykey',
      args: { key_id: KEY, ...LOGIN },
      returns: ret.dict('`key_metadata`, or `error`'),
      run: (ctx, { key_id, ...login }) => {
        const found = request(kmsOf(ctx, login), 'DescribeKey', { KeyId: key_id })
        return answered(found.then((answer) => ({ key_metadata: answer.get('KeyMetadata') ?? null })))
      },
    }),
    disable_key: switching('disable_key', 'DisableKey', 'Disable a key.'),
    enable_key: switching('enable_key', 'EnableKey', 'Enable a key.'),
    disable_key_rotation: switching('disable_key_rotation', 'DisableKeyRotation', 'End the yearly rotation of a key.'),
    enable_key_rotation: switching('enable_key_rotation', 'EnableKeyRotation', 'Let AWS rotate a key every year.'),
    get_key_policy: reads({
      doc: 'Return a policy of a key.',
      example: 'boto_kms.get_key_policy alias/mykey default',
      args: { key_id: KEY, policy_name: arg.text('Name of the policy: `default`'), ...LOGIN },
      returns: ret.dict('`key_policy`, or `error`'),
      run: (ctx, { key_id, policy_name, ...login }) => {
        const kms = kmsOf(ctx, login)
        const reply = async () => {
          const parameters = { KeyId: await keyIdOf(kms, key_id), PolicyName: policy_name }
          const answer = await request(kms, 'GetKeyPolicy', parameters)
          return { key_policy: loadJson(str(answer.get('Policy') ?? '{}')) }
        }
        return answered(reply())
      },
    }),
    get_key_rotation_status: reads({
      doc: 'Return whether AWS rotates a key.',
      example: 'boto_kms.get_key_rotation_status alias/mykey',
      args: { key_id: KEY, ...LOGIN },
      returns: ret.dict('`result`, or `error`'),
      run: (ctx, { key_id, ...login }) => {
        const kms = kmsOf(ctx, login)
        const reply = async () => {
          const answer = await request(kms, 'GetKeyRotationStatus', { KeyId: await keyIdOf(kms, key_id) })
          return { result: truthy(answer.get('KeyRotationEnabled') ?? false) }
        }
        return answered(reply())
      },
    }),
    list_grants: reads({
      doc: 'Return all grants of a key.',
      example: 'boto_kms.list_grants alias/mykey',
      args: { key_id: KEY, ...PAGE, ...LOGIN },
      returns: ret.dict('`grants`, or `error`'),
      run: (ctx, { key_id, limit, marker, ...login }) => {
        const kms = kmsOf(ctx, login)
        const reply = async () => {
          const parameters = { KeyId: await keyIdOf(kms, key_id), Limit: limit, Marker: marker }
          return { grants: await listed(kms, 'ListGrants', 'Grants', parameters) }
        }
        return answered(reply())
      },
    }),
    list_key_policies: reads({
      doc: 'Return the names of all policies of a key.',
      example: 'boto_kms.list_key_policies alias/mykey',
      args: { key_id: KEY, ...PAGE, ...LOGIN },
      returns: ret.dict('`key_policies`, or `error`'),
      run: (ctx, { key_id, limit, marker, ...login }) => {
        const kms = kmsOf(ctx, login)
        const reply = async () => {
          const parameters = { KeyId: await keyIdOf(kms, key_id), Limit: limit, Marker: marker }
          return { key_policies: await listed(kms, 'ListKeyPolicies', 'PolicyNames', parameters) }
        }
        return answered(reply())
      },
    }),
    put_key_policy: changes({
      doc: 'Set a policy of a key.',
      example: 'boto_kms.put_key_policy alias/mykey default \'{"Statement": []}\'',
      args: {
        key_id: KEY,
        policy_name: arg.text('Name of the policy: `default`'),
        policy: arg.any('The policy, as a dict or JSON'),
        ...LOGIN,
      },
      returns: DONE,
      run: (ctx, { key_id, policy_name, policy, ...login }) =>
        done(ctx, login, 'PutKeyPolicy', { KeyId: key_id, PolicyName: policy_name, Policy: policyText(policy) }),
    }),
    revoke_grant: changes({
      doc: 'End a grant of a key.',
      example: 'boto_kms.revoke_grant alias/mykey 8u89hf-j09j',
      args: { key_id: KEY, grant_id: arg.text('Id of the grant'), ...LOGIN },
      returns: DONE,
      run: (ctx, { key_id, grant_id, ...login }) =>
        done(ctx, login, 'RevokeGrant', { KeyId: key_id, GrantId: grant_id }),
    }),
    update_key_description: changes({
      doc: 'Change what a key is said to be for.',
      example: "boto_kms.update_key_description alias/mykey 'Key of the shop'",
      args: { key_id: KEY, description: arg.text('What it is for'), ...LOGIN },
      returns: DONE,
      run: (ctx, { key_id, description, ...login }) =>
        done(ctx, login, 'UpdateKeyDescription', { KeyId: key_id, Description: description }),
    }),
  },
})
