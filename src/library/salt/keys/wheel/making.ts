// Creates key files, and the signature of the master's public key, which minions with `verify_master_pubkey_sign` verify.
import { join } from 'node:path/posix'
import { str } from '../../../../data/mod.ts'
import { generateRsaKeys, type MasterContext, option, pemFingerprint, RsaPrivateKey } from '../../../../sdk/mod.ts'

const sizeOf = (ctx: MasterContext, keysize: number | null): number => keysize ?? option(ctx.opts, 'keysize')

const isFile = async (ctx: MasterContext, path: string): Promise<boolean> =>
  (await ctx.host.stat(path))?.type === 'file'

async function writePair(ctx: MasterContext, path: string, keysize: number | null): Promise<string> {
  const { privatePem, publicPem } = await generateRsaKeys(sizeOf(ctx, keysize))
  await ctx.host.write(`${path}.pem`, privatePem, { mode: 0o400 })
  await ctx.host.write(`${path}.pub`, publicPem, { mode: 0o644 })
  return publicPem
}

export interface PairOptions {
  keydir: string | null
  keyname: string | null
  keysize: number | null
}

/** Create a key pair in files, unless it exists, and return its fingerprint. */
export async function makeKeys(ctx: MasterContext, { keydir, keyname, keysize }: PairOptions): Promise<string> {
  const folder = keydir || str(ctx.opts.get('gen_keys_dir') ?? '.')
  const path = join(folder, keyname || str(ctx.opts.get('gen_keys') ?? 'master'))
  await ctx.host.makeDirectory(folder, { parents: true })
  const pem = (await isFile(ctx, `${path}.pem`))
    ? new RsaPrivateKey(Buffer.from(await ctx.host.read(`${path}.pem`)).toString()).publicKey.pem
    : await writePair(ctx, path, keysize)
  return pemFingerprint(pem, option(ctx.opts, 'hash_type'))
}

export interface SignatureOptions {
  priv: string
  pub: string
  signature_path: string
  auto_create: boolean
  keysize: number | null
}

/** Write the signature. Return false if there is one already, or a text with the reason why it cannot be written. */
export async function makeSignature(ctx: MasterContext, options: SignatureOptions): Promise<boolean | string> {
  const pki = option(ctx.opts, 'pki_dir')
  const signing = join(pki, option(ctx.opts, 'master_sign_key_name'))
  const pub = options.pub || join(pki, 'master.pub')
  const priv = options.priv || `${signing}.pem`
  if (!(await isFile(ctx, pub))) return options.pub ? `Public-key ${pub} does not exist` : 'No usable public-key found'
  if (!(await isFile(ctx, priv))) {
    if (options.priv) return `Private-key ${priv} does not exist`
    if (!options.auto_create) return 'No usable private-key found'
    await writePair(ctx, signing, options.keysize)
  }
  const folder = options.signature_path || pki
  const file = join(folder, option(ctx.opts, 'master_pubkey_signature') || `${option(ctx.opts, 'id')}_pubkey_signature`)
  await ctx.host.makeDirectory(folder, { parents: true })
  if (await isFile(ctx, file)) {
    ctx.log('error', `${file} already exists at expected location`)
    return false
  }
  const key = new RsaPrivateKey(Buffer.from(await ctx.host.read(priv)).toString())
  const signed = await key.sign(
    Buffer.from(await ctx.host.read(pub))
      .toString()
      .trim(),
    'PKCS1v15-SHA1',
  )
  await ctx.host.write(file, `${signed.toString('base64')}\n`)
  return true
}
