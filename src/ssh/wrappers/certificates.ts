// `certificate_managed_wrapper` of x509 and ssh_pki: the states of a certificate that a minion signs, and of its private key. In Salt
// this function asks the authority while templates are rendered, because targets cannot; here the states themselves ask it.
import { type Dict, isDict, misuse, str, truthy, type Value } from '../../data/mod.ts'
import {
  arg,
  type Bound,
  defineModule,
  type FunctionContext,
  type ModuleDeclaration,
  reads,
  ret,
} from '../../sdk/mod.ts'

const args = {
  name: arg.string('Path of the certificate'),
  ca_server: arg.text('Minion id of the authority', { optional: true }),
  signing_policy: arg.text('Signing policy', { optional: true }),
  backend: arg.text('Module that creates certificates; only for ssh_pki', { optional: true }),
  backend_args: arg.any('Dict of further arguments for the backend; only for ssh_pki', { optional: true }),
  private_key_managed: arg.any('Dict of arguments of private_key_managed, for a key that is made as well', {
    optional: true,
  }),
  private_key: arg.text('Path of a private key that is not managed', { optional: true }),
  private_key_passphrase: arg.text('Passphrase of the private key', { optional: true, secret: true }),
  csr: arg.text('Path of a request; only for x509', { optional: true }),
  public_key: arg.text('Path of a public key', { optional: true }),
  certificate_managed: arg.any('Dict of further arguments of certificate_managed', { optional: true }),
  test: arg.any('Ignored: the states see whether they run in a dry run', { optional: true }),
  kwargs: arg.open('Options of file.managed for the certificate, such as mode'),
}

export const certificateWrapper = (module: 'ssh_pki' | 'x509'): ModuleDeclaration =>
  defineModule({
    name: module,
    doc: 'Certificates of targets without minions.',
    functions: {
      certificate_managed_wrapper: reads({
        doc: 'Return the states of a certificate that another minion signs, as high data.',
        args,
        returns: ret.dict('States by ID: the private key if it is managed, and the certificate'),
        example: `${module}.certificate_managed_wrapper /etc/pki/www.crt ca_server=ca signing_policy=www private_key=/etc/pki/www.key`,
        run: (ctx, asked) => statesOf(ctx, module, asked),
      }),
    },
  })

const dictOf = (value: Value): Dict => (isDict(value) ? value : new Map())

const state = (fun: string, given: Iterable<[Value, Value]>): Dict =>
  new Map<Value, Value>([[fun, [...given].map(([name, value]) => new Map<Value, Value>([[name, value]]))]])

async function statesOf(ctx: FunctionContext, module: string, asked: Bound<typeof args>): Promise<Dict> {
  const { name, private_key_managed, certificate_managed, test: _, kwargs, ...sources } = asked
  const key = dictOf(private_key_managed)
  if (key.size === 0 && ![sources.private_key, sources.public_key, sources.csr].some((source) => source)) {
    throw misuse('Need to specify either private_key_managed, private_key, public_key or csr')
  }
  const states: Dict = new Map()
  const id = `${name}_crt`
  const certificate = new Map<Value, Value>([['name', name]])
  for (const [option, value] of Object.entries(sources)) if (value !== null) certificate.set(option, value)
  if (key.size > 0) {
    const path = str(key.get('name') ?? '')
    certificate.set('private_key', path)
    if (key.has('passphrase')) certificate.set('private_key_passphrase', key.get('passphrase')!)
    // `new: true` creates a new key only together with a new certificate
    const isRotated = truthy(key.get('new') ?? false) && (await isPlainFile(ctx, path))
    const requisite: [Value, Value] = [isRotated ? 'prereq' : 'require_in', [new Map<Value, Value>([[module, id]])]]
    states.set(`${path}_key`, state(`${module}.private_key_managed_ssh`, [...key, requisite]))
  }
  const further = [...kwargs].filter(([option]) => !option.startsWith('__'))
  for (const [option, value] of [...further, ...dictOf(certificate_managed)]) certificate.set(option, value)
  return states.set(id, state(`${module}.certificate_managed_ssh`, certificate))
}

async function isPlainFile(ctx: FunctionContext, path: string): Promise<boolean> {
  return truthy(await ctx.call('file.file_exists', [path])) && !truthy(await ctx.call('file.is_link', [path]))
}
