// Functions of boto_iam about the account: its password policy, certificates of servers, SAML providers, and exports as SLS.
import type { Dict, Value } from '../../../data/mod.ts'
import { arg, changes, dumpYaml, type FunctionContext, reads, ret } from '../../../sdk/mod.ts'
import { unlessFault } from '../common/errors.ts'
import { type AwsLogin, LOGIN } from '../common/login.ts'
import { documentOf, entry, find, iamOf, isDone, list, PREFIX, shaped, whole } from './iam.ts'

/** The password policy by Salt's names. */
export const PASSWORD_POLICY = {
  allow_users_to_change_password: arg.any('Whether users may change their passwords', { optional: true }),
  hard_expiry: arg.any('Whether users with an expired password need an administrator', { optional: true }),
  max_password_age: arg.any('Days until a password expires', { optional: true }),
  minimum_password_length: arg.any('Least number of characters', { optional: true }),
  password_reuse_prevention: arg.any('How many earlier passwords are refused', { optional: true }),
  require_lowercase_characters: arg.any('Whether a lowercase letter is required', { optional: true }),
  require_numbers: arg.any('Whether a digit is required', { optional: true }),
  require_symbols: arg.any('Whether a symbol is required', { optional: true }),
  require_uppercase_characters: arg.any('Whether an uppercase letter is required', { optional: true }),
}

const CERTIFICATE = { cert_name: arg.text('Name of the certificate'), ...LOGIN }
const SAML = { name: arg.text('Name of the provider'), ...LOGIN }
const METADATA = arg.text('Metadata of the provider, an XML document')
const DONE = ret.boolean('Whether it is done')

const pascal = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

async function providerArns(ctx: FunctionContext, login: AwsLogin): Promise<string[]> {
  const rows = await list(ctx, login, 'ListSAMLProviders', 'SAMLProviderList')
  return rows.map((row) => entry(row, 'arn'))
}

async function providerArn(ctx: FunctionContext, login: AwsLogin, name: string): Promise<string | undefined> {
  return (await providerArns(ctx, login)).find((arn) => arn.endsWith(`:saml-provider/${name}`))
}

/** Return the inline policies of users or roles as dicts. */
async function policiesOf(ctx: FunctionContext, login: AwsLogin, kind: 'User' | 'Role', name: string): Promise<Dict> {
  const owner = { [`${kind}Name`]: name }
  const all: Dict = new Map()
  for (const PolicyName of await list<string>(ctx, login, `List${kind}Policies`, 'PolicyNames', owner)) {
    const action = `Get${kind}Policy`
    const answer = await iamOf(ctx, login).query(action, { ...owner, PolicyName })
    all.set(PolicyName, documentOf(answer.text(`${action}Result.PolicyDocument`)))
  }
  return all
}

const fields = (all: readonly [string, Value][]): Dict[] => all.map(([key, value]) => new Map([[key, value]]))

export const ACCOUNT = {
  get_account_policy: reads({
    doc: 'Return the password policy of the account.',
    args: LOGIN,
    returns: ret.any('The policy, or False where there is none'),
    run: async (ctx, login) => {
      const answer = await find(ctx, login, 'GetAccountPasswordPolicy', {})
      const policy = answer?.at('GetAccountPasswordPolicyResult.PasswordPolicy')
      return policy === undefined ? false : shaped(policy)
    },
  }),
  update_account_password_policy: changes({
    doc: 'Set the password policy of the account. What is not given gets the default of AWS.',
    example: 'boto_iam.update_account_password_policy minimum_password_length=14 require_numbers=True',
    args: { ...PASSWORD_POLICY, ...LOGIN },
    returns: DONE,
    run: (ctx, { region, key, keyid, profile, ...policy }) => {
      const given = Object.entries(policy).filter(([, value]) => value !== null)
      const parameters = Object.fromEntries(given.map(([name, value]) => [pascal(name), String(value)]))
      return isDone(ctx, { region, key, keyid, profile }, 'UpdateAccountPasswordPolicy', parameters)
    },
  }),
  get_server_certificate: reads({
    doc: 'Return a certificate of a server.',
    example: 'boto_iam.get_server_certificate mycert',
    args: CERTIFICATE,
    returns: ret.any('`get_server_certificate_response`, or False where there is none'),
    run: async (ctx, { cert_name, ...login }) => {
      const answer = await find(ctx, login, 'GetServerCertificate', { ServerCertificateName: cert_name })
      return answer === undefined ? false : whole(answer)
    },
  }),
  upload_server_cert: changes({
    doc: 'Upload a certificate of a server. One of that name is left as it is.',
    example: 'boto_iam.upload_server_cert mycert "$certificate" "$private_key"',
    args: {
      cert_name: CERTIFICATE.cert_name,
      cert_body: arg.text('The certificate in PEM'),
      private_key: arg.text('Its private key in PEM', { secret: true }),
      cert_chain: arg.text('Certificates of its authorities in PEM', { optional: true }),
      path: arg.text('Path; `/` unless given', { optional: true }),
      ...LOGIN,
    },
    returns: ret.any('`upload_server_certificate_response`, True where it exists, or False'),
    run: async (ctx, { cert_name, cert_body, private_key, cert_chain, path, ...login }): Promise<Value> => {
      const name = { ServerCertificateName: cert_name }
      if ((await find(ctx, login, 'GetServerCertificate', name)) !== undefined) return true
      const parameters = { ...name, CertificateBody: cert_body, PrivateKey: private_key }
      const made = iamOf(ctx, login).query('UploadServerCertificate', {
        ...parameters,
        CertificateChain: cert_chain,
        Path: path,
      })
      return unlessFault<Value, Value>(made.then(whole), (error) => {
        ctx.log('error', `Certificate ${cert_name} could not be uploaded: ${error.message}`)
        return false
      })
    },
  }),
  delete_server_cert: changes({
    doc: 'Delete a certificate of a server.',
    example: 'boto_iam.delete_server_cert mycert',
    args: CERTIFICATE,
    returns: ret.any('`delete_server_certificate_response`, or False'),
    run: (ctx, { cert_name, ...login }) => {
      const gone = iamOf(ctx, login).query('DeleteServerCertificate', { ServerCertificateName: cert_name })
      return unlessFault<Value, Value>(gone.then(whole), (error) => {
        ctx.log('error', `Certificate ${cert_name} could not be deleted: ${error.message}`)
        return false
      })
    },
  }),
  list_saml_providers: reads({
    doc: 'Return the names of all SAML providers.',
    args: LOGIN,
    returns: ret.any('A list of names'),
    run: async (ctx, login) => (await providerArns(ctx, login)).map((arn) => arn.slice(arn.indexOf('/') + 1)),
  }),
  get_saml_provider_arn: reads({
    doc: 'Return the ARN of a SAML provider.',
    example: 'boto_iam.get_saml_provider_arn my_saml_provider_name',
    args: SAML,
    returns: ret.orFalse(ret.string('The ARN')),
    run: async (ctx, { name, ...login }) => (await providerArn(ctx, login, name)) ?? false,
  }),
  get_saml_provider: reads({
    doc: 'Return the metadata of a SAML provider.',
    example: 'boto_iam.get_saml_provider my_saml_provider_name',
    args: { name: arg.text('Name or ARN of the provider'), ...LOGIN },
    returns: ret.orFalse(ret.string('The XML document')),
    run: async (ctx, { name, ...login }) => {
      const arn = name.startsWith('arn:') ? name : await providerArn(ctx, login, name)
      const answer = arn && (await find(ctx, login, 'GetSAMLProvider', { SAMLProviderArn: arn }))
      return (answer || undefined)?.text('GetSAMLProviderResult.SAMLMetadataDocument') ?? false
    },
  }),
  create_saml_provider: changes({
    doc: 'Create a SAML provider.',
    example: 'boto_iam.create_saml_provider my_saml_provider_name "$saml_metadata_document"',
    args: { name: SAML.name, saml_metadata_document: METADATA, ...LOGIN },
    returns: DONE,
    run: (ctx, { name: Name, saml_metadata_document: SAMLMetadataDocument, ...login }) =>
      isDone(ctx, login, 'CreateSAMLProvider', { Name, SAMLMetadataDocument }),
  }),
  update_saml_provider: changes({
    doc: 'Replace the metadata of a SAML provider.',
    example: 'boto_iam.update_saml_provider my_saml_provider_name "$saml_metadata_document"',
    args: { name: SAML.name, saml_metadata_document: METADATA, ...LOGIN },
    returns: DONE,
    run: async (ctx, { name, saml_metadata_document: SAMLMetadataDocument, ...login }) => {
      const SAMLProviderArn = await providerArn(ctx, login, name)
      if (SAMLProviderArn === undefined) return false
      return isDone(ctx, login, 'UpdateSAMLProvider', { SAMLProviderArn, SAMLMetadataDocument })
    },
  }),
  delete_saml_provider: changes({
    doc: 'Delete a SAML provider. One that does not exist counts as deleted.',
    example: 'boto_iam.delete_saml_provider my_saml_provider_name',
    args: SAML,
    returns: DONE,
    run: async (ctx, { name, ...login }) => {
      const SAMLProviderArn = await providerArn(ctx, login, name)
      return SAMLProviderArn === undefined || isDone(ctx, login, 'DeleteSAMLProvider', { SAMLProviderArn })
    },
  }),
  export_users: reads({
    doc: 'Return all users with their inline policies as an SLS file.',
    args: { path_prefix: PREFIX, ...LOGIN },
    returns: ret.string('The file'),
    run: async (ctx, { path_prefix: PathPrefix, ...login }) => {
      const states: Dict = new Map()
      for (const user of await list(ctx, login, 'ListUsers', 'Users', { PathPrefix })) {
        const name = entry(user, 'user_name')
        const policies = await policiesOf(ctx, login, 'User', name)
        const given = fields([
          ['name', name],
          ['policies', policies],
          ['path', entry(user, 'path')],
        ])
        states.set(`manage user ${name}`, new Map([['boto_iam.user_present', given]]))
      }
      return dumpYaml(states, { default_flow_style: false, indent: 2 })
    },
  }),
  export_roles: reads({
    doc: 'Return all roles with their inline policies as an SLS file.',
    args: { path_prefix: PREFIX, ...LOGIN },
    returns: ret.string('The file'),
    run: async (ctx, { path_prefix: PathPrefix, ...login }) => {
      const states: Dict = new Map()
      for (const role of await list(ctx, login, 'ListRoles', 'Roles', { PathPrefix })) {
        const name = entry(role, 'role_name')
        const policies = await policiesOf(ctx, login, 'Role', name)
        const given = fields([
          ['name', name],
          ['policies', policies],
          ['policy_document', documentOf(entry(role, 'assume_role_policy_document'))],
          ['path', entry(role, 'path')],
        ])
        states.set(`manage role ${name}`, new Map([['boto_iam_role.present', given]]))
      }
      return dumpYaml(states, { default_flow_style: false, indent: 2 })
    },
  }),
}
