// PEM texts: search, canonical form, and writing to a file.
import { isA, recover } from '../../../../base/mod.ts'
import { decodeBytes, misuse, SaltError, type Value } from '../../../../data/mod.ts'
import type { FunctionContext } from '../../../../sdk/mod.ts'
import { bytesOf, isFile } from './sources.ts'

const DEK = 'DES-[3A-Z\\-]+,[0-9A-F]{16}|[0-9A-Z\\-]+,[0-9A-F]{32}'

function entryPattern(type: string): RegExp {
  const head = `\\s*(?<header>-----BEGIN ${type}-----)\\s+(?:(?<proc>Proc-Type: 4,ENCRYPTED)\\s*)?`
  const body = `(?:(?<dek>DEK-Info: (?:${DEK}))\\s*)?(?<body>.+?)\\s+(?<footer>-----END ${type}-----)\\s*`
  return new RegExp(head + body, 's')
}

/** Restore the line breaks of a text that lost them. */
function broken(text: string): string {
  if (text.includes('\n') || !text.startsWith('-----') || !text.endsWith('-----')) return text
  return (text.match(/-----[^-]*-----|[^-]{1,64}/g) ?? []).join('\n')
}

export async function pemEntry(ctx: FunctionContext, source: Value, type: string | null): Promise<string> {
  const text = broken(decodeBytes(await bytesOf(ctx, source)).replaceAll('\\n', '\n'))
  const match = entryPattern(type === null ? '[0-9A-Z ]+' : type).exec(text)?.groups
  if (match === undefined) {
    throw misuse(
      type === null ? `PEM text not valid:\n${text}` : `PEM does not contain a single entry of type ${type}:\n${text}`,
    )
  }
  const { header, proc, dek, body = '', footer } = match
  const lines = body.replace(/\s/g, '').match(/.{1,64}/g) ?? []
  const notes = [...(proc ? [proc] : []), ...(dek ? [dek, ''] : [])]
  return `${[header, ...notes, ...lines, footer].join('\n')}\n`
}

/** Return an entry of a file to keep; empty if there is none. */
async function kept(ctx: FunctionContext, text: string, type: string): Promise<string> {
  return recover(isA(SaltError), '', () => pemEntry(ctx, text, type))
}

export async function writePem(
  ctx: FunctionContext,
  text: Value,
  path: string,
  overwrite: boolean,
  type: string | null,
): Promise<string> {
  const entry = await pemEntry(ctx, text, type)
  const beside = type === 'CERTIFICATE' && !overwrite && (await isFile(ctx, path))
  const before = beside ? decodeBytes(await ctx.host.read(path)) : ''
  const key = beside ? await kept(ctx, before, '(?:RSA )?PRIVATE KEY') : ''
  const parameters = beside ? await kept(ctx, before, 'DH PARAMETERS') : ''
  await ctx.host.write(path, `${key}${entry}${parameters}`, { mode: 0o600 })
  return `PEM written to ${path}`
}
