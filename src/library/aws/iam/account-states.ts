// States about the account: access keys of users, its password policy, certificates of servers and SAML providers.
import { type Dict, isDict, isList, markSecret, misuse, str, truthy, type Value } from '../../../data/mod.ts'
import { arg, changed, ensure, failed, type StateContext, settled, state } from '../../../sdk/mod.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { Parts } from '../common/part.ts'
import { PASSWORD_POLICY } from './account-functions.ts'
import { ask } from './state-parts.ts'

const USER = arg.text('Name of the user')

const at = (value: Value, ...path: string[]): Value =>
  path.reduce<Value>((inner, name) => (isDict(inner) ? (inner.get(name) ?? null) : null), value)

/** Return the ids of the access keys of a user; a text is an error. */
async function keysOf(ctx: StateContext, user: string, login: AwsLogin): Promise<string[] | string> {
  const answer = await ask(ctx, 'get_all_access_keys', login, { user_name: user })
  const keys = at(answer, 'list_access_keys_response', 'list_access_keys_result', 'access_key_metadata')
  return isList(keys) ? keys.map((key) => str(at(key, 'access_key_id'))) : str(answer)
}

/** Return a text, or the content of a file of the file server. */
async function textOf(ctx: StateContext, given: string): Promise<string> {
  if (!given.startsWith('salt://')) return given
  const text = (await ctx.call('cp.get_file_str', [given])) as Value
  if (!truthy(text)) throw misuse(`File ${given} not found.`)
  return str(text)
}

interface NewKeys {
  user: string
  path: string
  format: string
  count: number
}

/** Make keys and append each to the file at once, so that none is lost when a later one fails. */
async function makeKeys(ctx: StateContext, login: AwsLogin, { user, path, format, count }: NewKeys) {
  const made: Dict = new Map()
  for (let index = 0; index < count; index++) {
    const answer = await ask(ctx, 'create_access_key', login, { user_name: user })
    const key = at(answer, 'create_access_key_response', 'create_access_key_result', 'access_key')
    if (!isDict(key)) return failed(`Could not create keys.\n${str(answer)}`, made.size > 0 ? made : new Map())
    const [id, secret] = [str(key.get('access_key_id') ?? ''), str(key.get('secret_access_key') ?? '')]
    markSecret(secret)
    const words = [id, secret, `key_id-${index}`, `key-${index}`]
    const text = format.replace(/\{([0-3])\}/g, (_, place: string) => words[Number(place)]!)
    if ((await ctx.host.stat(path)) === undefined) await ctx.host.write(path, text, { mode: 0o600 })
    else await ctx.host.append(path, text)
    made.set(String(index), new Map([['key_id', id]]))
  }
  return changed(`Keys have been written to file ${path}.`, made)
}

const keyStates = {
  keys_present: state({
    doc: 'Ensure that a user has a number of access keys. New ones are appended to a file, which only its owner can read.',
    args: {
      name: USER,
      number: arg.count('How many keys there should be'),
      save_dir: arg.text('Folder of the file, which has the name of the user'),
      ...LOGIN,
      save_format: arg.text('Text for a key: {0} is its id, {1} its secret, {2} and {3} are names for both', {
        default: '{2}\n{0}\n{3}\n{1}\n',
      }),
    },
    run: (ctx, { name, number, save_dir, save_format, ...login }) =>
      ensure(ctx, {
        name,
        look: async () => {
          if (/[/\0]/.test(name)) throw misuse('The name of a user whose keys are saved cannot contain a slash')
          if (!truthy(await ask(ctx, 'get_user', login, { user_name: name })))
            return failed(`IAM User ${name} does not exist.`)
          if ((await ctx.host.stat(save_dir))?.type !== 'directory')
            return failed(`The directory ${save_dir} does not exist.`)
          const keys = await keysOf(ctx, name, login)
          if (typeof keys === 'string') return failed(`Could not get keys.\n${keys}`)
          return keys.length >= number ? settled(`The number of keys exist for user ${name}`) : number - keys.length
        },
        foresee: () => `Access key is set to be created for ${name}.`,
        act: (count) => {
          const path = `${save_dir.replace(/\/+$/, '')}/${name}`
          return makeKeys(ctx, login, { user: name, path, format: save_format, count })
        },
      }),
  }),
  keys_absent: state({
    doc: 'Ensure that access keys of a user do not exist.',
    args: { access_keys: arg.words('Ids of the keys'), user_name: USER, ...LOGIN },
    run: async (ctx, { access_keys, user_name, ...login }) => {
      const parts = new Parts()
      const known = truthy(await ask(ctx, 'get_user', login, { user_name }))
        ? await keysOf(ctx, user_name, login)
        : `IAM User ${user_name} does not exist.`
      if (typeof known === 'string') parts.add({ result: false, comment: known })
      for (const id of typeof known === 'string' ? [] : access_keys) {
        if (!known.includes(id)) parts.add({ result: true, comment: `Key ${id} does not exist.` })
        else if (ctx.test) parts.add({ result: null, comment: `Access key ${id} is set to be deleted.` })
        else if (isDict(await ask(ctx, 'delete_access_key', login, { access_key_id: id, user_name })))
          parts.add({ result: true, comment: `Key ${id} has been deleted.`, changes: new Map([[id, 'deleted']]) })
        else parts.add({ result: false, comment: `Key ${id} could not be deleted.` })
      }
      return { ...parts.report(access_keys.join(', ')), name: access_keys }
    },
  }),
}

const policyStates = {
  account_policy: state({
    doc: 'Ensure that the password policy of the account has the given values.',
    args: { name: arg.text('Name of the state', { optional: true }), ...PASSWORD_POLICY, ...LOGIN },
    run: (ctx, { name: _name, region, key, keyid, profile, ...policy }) => {
      const login = { region, key, keyid, profile }
      const wanted = Object.entries(policy).filter(([, value]) => value !== null)
      return ensure(ctx, {
        name: 'Account Policy',
        look: async () => {
          const now = await ask(ctx, 'get_account_policy', login)
          if (!isDict(now)) return failed('Account policy is not Enabled.')
          const text = (value: Value): string => str(value).toLowerCase()
          const gap = wanted.filter(([field, value]) => text(now.get(field) ?? null) !== text(value))
          if (gap.length === 0) return settled('Account policy is not changed.')
          // AWS resets fields that a request omits to their defaults
          const kept = Object.keys(PASSWORD_POLICY).filter((field) => now.has(field))
          const all = Object.fromEntries([...kept.map((field) => [field, now.get(field)!] as const), ...wanted])
          return { all, changes: new Map(gap.map(([field, value]): [Value, Value] => [field, text(value)])) }
        },
        foresee: () => 'Account policy is set to be changed.',
        act: async ({ all, changes }) =>
          truthy(await ask(ctx, 'update_account_password_policy', login, all))
            ? changed('Account policy is changed.', changes)
            : failed('Account policy is not changed.'),
      })
    },
  }),
}

const certificateStates = {
  server_cert_present: state({
    doc: 'Ensure that a certificate of a server exists. One of that name is left as it is.',
    args: {
      name: arg.text('Name of the certificate'),
      public_key: arg.text('The certificate in PEM, or a `salt://` file of it'),
      private_key: arg.text('Its private key in PEM, or a `salt://` file of it', { secret: true }),
      cert_chain: arg.text('Certificates of its authorities, or a `salt://` file of them', { optional: true }),
      path: arg.text('Path; `/` unless given', { optional: true }),
      ...LOGIN,
    },
    run: (ctx, { name, public_key, private_key, cert_chain, path, ...login }) =>
      ensure(ctx, {
        name,
        look: async () =>
          truthy(await ask(ctx, 'get_server_certificate', login, { cert_name: name }))
            ? settled(`Certificate ${name} exists.`)
            : 'missing',
        foresee: () => `Server certificate ${name} is set to be created.`,
        act: async () => {
          const secret = await textOf(ctx, private_key)
          markSecret(secret)
          const made = await ask(ctx, 'upload_server_cert', login, {
            ...{ cert_name: name, cert_body: await textOf(ctx, public_key), private_key: secret, path },
            cert_chain: cert_chain === null ? null : await textOf(ctx, cert_chain),
          })
          if (!truthy(made)) return failed(`Certificate ${name} failed to be created.`)
          return changed(`Certificate ${name} was created.`, isDict(made) ? made : { new: name })
        },
      }),
  }),
  server_cert_absent: state({
    doc: 'Ensure that a certificate of a server does not exist.',
    args: { name: arg.text('Name of the certificate'), ...LOGIN },
    run: (ctx, { name, ...login }) =>
      ensure(ctx, {
        name,
        look: async () =>
          truthy(await ask(ctx, 'get_server_certificate', login, { cert_name: name }))
            ? 'there'
            : settled(`Certificate ${name} does not exist.`),
        foresee: () => `Server certificate ${name} is set to be deleted.`,
        act: async () => {
          const gone = await ask(ctx, 'delete_server_cert', login, { cert_name: name })
          if (!truthy(gone)) return failed(`Certificate ${name} failed to be deleted.`)
          return changed(`Certificate ${name} was deleted.`, isDict(gone) ? gone : { old: name })
        },
      }),
  }),
}

const hasProvider = async (ctx: StateContext, name: string, login: AwsLogin): Promise<boolean> => {
  const names = await ask(ctx, 'list_saml_providers', login)
  return isList(names) && names.includes(name)
}

const samlStates = {
  saml_provider_present: state({
    doc: 'Ensure that a SAML provider exists. One of that name is left as it is.',
    args: {
      name: arg.text('Name of the provider'),
      saml_metadata_document: arg.text('Its metadata in XML, or a `salt://` file of it'),
      ...LOGIN,
    },
    run: (ctx, { name, saml_metadata_document, ...login }) =>
      ensure(ctx, {
        name,
        look: async () =>
          (await hasProvider(ctx, name, login)) ? settled(`SAML provider ${name} is present.`) : 'missing',
        foresee: () => `SAML provider ${name} is set to be create.`,
        act: async () => {
          const given = { name, saml_metadata_document: await textOf(ctx, saml_metadata_document) }
          if (!truthy(await ask(ctx, 'create_saml_provider', login, given)))
            return failed(`SAML provider ${name} failed to be created.`)
          return changed(`SAML provider ${name} was created.`, { new: name })
        },
      }),
  }),
  saml_provider_absent: state({
    doc: 'Ensure that a SAML provider does not exist.',
    args: { name: arg.text('Name of the provider'), ...LOGIN },
    run: (ctx, { name, ...login }) =>
      ensure(ctx, {
        name,
        look: async () =>
          (await hasProvider(ctx, name, login)) ? 'there' : settled(`SAML provider ${name} is absent.`),
        foresee: () => `SAML provider ${name} is set to be removed.`,
        act: async () =>
          truthy(await ask(ctx, 'delete_saml_provider', login, { name }))
            ? changed(`SAML provider ${name} was deleted.`, { old: name })
            : failed(`SAML provider ${name} failed to be deleted.`),
      }),
  }),
}

export const accountStates = { ...keyStates, ...policyStates, ...certificateStates, ...samlStates }
