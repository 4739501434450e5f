// New keys as files, and the signature of the master's public key, which minions with `verify_master_pubkey_sign` ask for.
import { join } from 'node:path/posix'
import { numberOf, str, truthy, type Value } from '../../../../data/mod.ts'
import { generateRsaKeys, type MasterContext, option, pemFingerprint, RsaPrivateKey } from '../../../../sdk/mod.ts'

const sizeOf = (ctx: MasterContext, keysize: Value): number => numberOf(keysize) ?? option(ctx.opts, 'keysize')

const isFile = async (ctx: MasterContext, path: string): Promise<boolean> =>
  (await ctx.host.stat(path))?.type === 'file'

async function writePair(ctx: MasterContext, path: string, keysize: Value): Promise<string> {
  const { privatePem, publicPem } = await generateRsaKeys(sizeOf(ctx, keysize))
  await ctx.host.write(`${path}.pem`, privatePem, { mode: 0o400 })
  await ctx.host.write(`${path}.pub`, publicPem, { mode: 0o644 })
  return publicPem
}

export interface PairWish {
  keydir: Value
  keyname: Value
  keysize: Value
}

/** A pair of files that is made unless it is there; gives the fingerprint. */
export async function makeKeys(ctx: MasterContext, { keydir, keyname, keysize }: PairWish): Promise<string> {
  const folder = truthy(keydir) ? str(keydir) : str(ctx.opts.get('gen_keys_dir') ?? '.')
  const path = join(folder, truthy(keyname) ? str(keyname) : str(ctx.opts.get('gen_keys') ?? 'master'))
  await ctx.host.makeDirectory(folder, { parents: true })
  const pem = (await isFile(ctx, `${path}.pem`))
    ? new RsaPrivateKey(Buffer.from(await ctx.host.read(`${path}.pem`)).toString()).publicKey.pem
    : await writePair(ctx, path, keysize)
  return pemFingerprint(pem, option(ctx.opts, 'hash_type'))
}

export interface SignatureWish {
  priv: Value
  pub: Value
  signature_path: Value
  auto_create: Value
  keysize: Value
}

/** True when it was written, false when there is one; or why it cannot be made. */
export async function makeSignature(ctx: MasterContext, wish: SignatureWish): Promise<Value> {
  const pki = option(ctx.opts, 'pki_dir')
  const signing = join(pki, option(ctx.opts, 'master_sign_key_name'))
  const pub = truthy(wish.pub) ? str(wish.pub) : join(pki, 'master.pub')
  const priv = truthy(wish.priv) ? str(wish.priv) : `${signing}.pem`
  if (!(await isFile(ctx, pub)))
    return truthy(wish.pub) ? `Public-key ${pub} does not exist` : 'No usable public-key found'
  if (!(await isFile(ctx, priv))) {
    if (truthy(wish.priv)) return `Private-key ${priv} does not exist`
    if (!truthy(wish.auto_create)) return 'No usable private-key found'
    await writePair(ctx, signing, wish.keysize)
  }
  const folder = truthy(wish.signature_path) ? str(wish.signature_path) : pki
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
