// Secrets in NaCl boxes, such as `NACL[…]` in pillar. A sealed box is created with a public key and opened with the secret key;
// a secret box is created and opened with the same key. Keys are base64, in files or in `nacl.config`.
import { decodeBase64, decodeBytes, encodeText, failure, isDict, str, truthy, type Value } from '../../../data/mod.ts'
import {
  arg,
  changes,
  defineModule,
  type FunctionContext,
  isFile,
  optionalText,
  reads,
  ret,
  option as setting,
} from '../../../sdk/mod.ts'
import { newKeys, openKey, openSealedBox, openSecretBox, shutSealedBox, shutSecretBox } from './module/boxes.ts'

type Given = ReadonlyMap<string, Value>

interface Settings {
  boxType: string
  key(end: 'secret' | 'open'): Promise<Uint8Array>
}

const bytesOf = (value: Value): Uint8Array => (value instanceof Uint8Array ? value : encodeText(str(value)))

const base64 = (bytes: Uint8Array): Uint8Array => encodeText(Buffer.from(bytes).toString('base64'))

/** Old names of options; they mean secret boxes. */
const OLD = new Map([
  ['keyfile', 'sk_file'],
  ['key', 'sk'],
])

function renamed(given: Given): Given {
  const old = [...given].flatMap(([name, value]): Array<[string, Value]> => {
    const now = OLD.get(name)
    return now === undefined ? [] : [[now, value]]
  })
  return old.length === 0 ? given : new Map([...given, ...old, ['box_type', 'secretbox']])
}

async function settingsOf(ctx: FunctionContext, given: Given): Promise<Settings> {
  const configured = await ctx.call('config.get', ['nacl.config', new Map()])
  const option = (name: string, fallback: string | null): Value =>
    given.get(name) ?? (isDict(configured) ? configured.get(name) : undefined) ?? fallback
  const keys = { secret: { name: 'sk', what: 'key', end: '' }, open: { name: 'pk', what: 'pubkey', end: '.pub' } }
  return {
    boxType: str(option('box_type', 'sealedbox')),
    key: async (kind) => {
      const { name, what, end } = keys[kind]
      const own = option(name, null)
      if (truthy(own)) return decodeBase64(bytesOf(own))
      const given = option(`${name}_file`, null)
      const file = truthy(given) ? str(given) : `${setting(ctx.opts, 'pki_dir')}/master/nacl${end}`
      if (!(await ctx.host.stat(file))) throw failure(`no ${what} or ${name}_file found`)
      return keyIn(ctx, file)
    },
  }
}

async function keyIn(ctx: FunctionContext, file: string): Promise<Uint8Array> {
  const text = decodeBytes(await ctx.host.read(file)).replace(/\n+$/, '')
  return decodeBase64(encodeText(text))
}

async function generate(ctx: FunctionContext, secretFile: string, openFile: string): Promise<string> {
  const write = (file: string, key: Uint8Array, mode: number): Promise<void> =>
    ctx.host.write(file, base64(key), { mode })
  const [hasSecret, hasOpen] = [await isFile(ctx, secretFile), await isFile(ctx, openFile)]
  if (hasSecret && hasOpen) throw failure(`sk_file:${secretFile} and pk_file:${openFile} already exist.`)
  if (hasSecret) {
    await write(openFile, openKey(await keyIn(ctx, secretFile)), 0o644)
    return `saved pk_file: ${openFile}`
  }
  const { secret, open } = newKeys()
  await write(secretFile, secret, 0o600)
  await write(openFile, open, 0o644)
  return `saved sk_file:${secretFile}  pk_file: ${openFile}`
}

type Boxing = (ctx: FunctionContext, data: Value, given: Given) => Promise<Value>

const boxes = {
  sealedbox: {
    encrypt: async (ctx, data, given) =>
      base64(shutSealedBox(bytesOf(data), await (await settingsOf(ctx, given)).key('open'))),
    decrypt: async (ctx, data, given) =>
      data === null
        ? null
        : openSealedBox(decodeBase64(bytesOf(data)), await (await settingsOf(ctx, given)).key('secret')),
  },
  secretbox: {
    encrypt: async (ctx, data, given) =>
      base64(shutSecretBox(bytesOf(data), await (await settingsOf(ctx, given)).key('secret'))),
    decrypt: async (ctx, data, given) =>
      data === null
        ? null
        : openSecretBox(decodeBase64(bytesOf(data)), await (await settingsOf(ctx, given)).key('secret')),
  },
} satisfies Record<string, Record<'encrypt' | 'decrypt', Boxing>>

/** Choose the function by the configured box type. */
const boxing =
  (way: 'encrypt' | 'decrypt'): Boxing =>
  async (ctx, data, kwargs) => {
    const given = renamed(kwargs)
    const { boxType } = await settingsOf(ctx, given)
    return boxes[boxType === 'secretbox' ? 'secretbox' : 'sealedbox'][way](ctx, data, given)
  }

async function withFile(
  ctx: FunctionContext,
  name: string,
  out: string | null,
  change: (data: Value) => Promise<Value>,
) {
  const changed = await change(await contentsOf(ctx, name))
  if (!out) return changed
  if (await isFile(ctx, out)) throw failure(`file:${out} already exist.`)
  await ctx.host.write(out, bytesOf(changed))
  return `Wrote: ${out}`
}

async function contentsOf(ctx: FunctionContext, name: string): Promise<Value> {
  if (name.startsWith('/')) return ctx.host.read(name)
  const text = await ctx.call('cp.get_file_str', [name])
  if (text === false || text === '') throw failure(`The file ${name} cannot be had`)
  return text
}

const data = arg.any('Text or bytes to encrypt, or a box in base64')
const kwargs = arg.open('Keys and box type: `sk`, `sk_file`, `pk`, `pk_file`, `box_type` (`sealedbox` or `secretbox`)')
const returns = ret.any('The box in base64, or its content')

function boxFunction(doc: string, example: string, run: Boxing) {
  return reads({
    doc,
    args: { data, kwargs },
    returns,
    examples: [`salt-call --local nacl.${example}`],
    run: (ctx, { data, kwargs }) => run(ctx, data, kwargs),
  })
}

function fileFunction(doc: string, example: string, way: 'encrypt' | 'decrypt') {
  return changes({
    doc,
    args: {
      name: arg.text('Path of a file, or a URL such as `salt://cert`'),
      out: arg.text('Path of the file to write; the result is returned if not given', { optional: true }),
      kwargs,
    },
    returns,
    examples: [`salt-call nacl.${example}`],
    run: (ctx, { name, out, kwargs }) => withFile(ctx, name, out, (data) => boxing(way)(ctx, data, kwargs)),
  })
}

export default defineModule({
  name: 'nacl',
  doc: 'Encrypt and decrypt secrets in NaCl boxes.',
  when: ({ opts }) => opts.get('fips_mode') !== true || 'nacl module not available in FIPS mode',
  functions: {
    keygen: changes({
      doc: 'Create a key pair, and return it or write it to files. For an existing secret key, create the public key.',
      args: {
        sk_file: arg.text('Path of the secret key', { optional: true }),
        pk_file: optionalText('Path of the public key; default: the path of the secret key with `.pub`'),
        kwargs: arg.open('`keyfile`, an old name of `sk_file`'),
      },
      returns: ret.any('The keys, or a text that says what was written'),
      examples: ['salt-call --local nacl.keygen sk_file=/etc/salt/pki/master/nacl'],
      run: (ctx, { sk_file, pk_file, kwargs }) => {
        const secretFile = kwargs.get('keyfile') ?? sk_file
        if (secretFile !== null) return generate(ctx, str(secretFile), pk_file ?? `${str(secretFile)}.pub`)
        const { secret, open } = newKeys()
        return new Map<Value, Value>([
          ['sk', base64(secret)],
          ['pk', base64(open)],
        ])
      },
    }),
    enc: boxFunction('Encrypt data, with the configured box type.', 'enc datatoenc', boxing('encrypt')),
    dec: boxFunction('Decrypt a box of the configured type.', 'dec pEXHQM6cuaF7A=', boxing('decrypt')),
    enc_file: fileFunction('Encrypt a file.', 'enc_file name=salt://crt/mycert out=/tmp/cert', 'encrypt'),
    dec_file: fileFunction('Decrypt a file.', 'dec_file name=salt://crt/mycert.nacl', 'decrypt'),
    sealedbox_encrypt: boxFunction(
      'Encrypt data so that only the secret key decrypts it.',
      'sealedbox_encrypt datatoenc pk_file=/etc/salt/pki/master/nacl.pub',
      boxes.sealedbox.encrypt,
    ),
    sealedbox_decrypt: boxFunction(
      'Decrypt a box that was created with the public key.',
      "sealedbox_decrypt data='pEXHQM6cuaF7A=' sk_file=/etc/salt/pki/master/nacl",
      boxes.sealedbox.decrypt,
    ),
    secretbox_encrypt: boxFunction(
      'Encrypt data with a key that also decrypts it.',
      'secretbox_encrypt datatoenc sk_file=/etc/salt/pki/master/nacl',
      boxes.secretbox.encrypt,
    ),
    secretbox_decrypt: boxFunction(
      'Decrypt a box that was created with the same key.',
      "secretbox_decrypt data='pEXHQM6cuaF7A=' sk='YmFkcGFzcwo='",
      boxes.secretbox.decrypt,
    ),
  },
})
