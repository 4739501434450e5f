// Instructions for cloud-init as one MIME document with a part for each script.
import { createHash } from 'node:crypto'
import { type Dict, isDict, misuse, str, type Value } from '../../../data/mod.ts'
import { dumpYaml } from '../../../sdk/mod.ts'

interface Part {
  kind: string
  text: string
}

const LINE = 76

function partText({ kind, text }: Part): string {
  const isAscii = /^[\x00-\x7f]*$/.test(text)
  const base64 = (): string =>
    (
      Buffer.from(text)
        .toString('base64')
        .match(new RegExp(`.{1,${LINE}}`, 'g')) ?? []
    )
      .map((line) => `${line}\n`)
      .join('')
  return [
    `Content-Type: text/${kind}; charset="${isAscii ? 'us-ascii' : 'utf-8'}"`,
    'MIME-Version: 1.0',
    `Content-Transfer-Encoding: ${isAscii ? '7bit' : 'base64'}`,
    '',
    isAscii ? text : base64(),
  ].join('\n')
}

function scriptsOf(config: Dict, key: string, kind: string): Part[] {
  const scripts = config.get(key) ?? null
  if (scripts === null) return []
  if (!isDict(scripts)) throw misuse(`'${key}' must be a dict of scripts by name`)
  return [...scripts.values()].map((script) => ({ kind, text: str(script) }))
}

/** Return the document. The same configuration gives the same document. */
export async function cloudInitMime(config: Dict): Promise<string> {
  const settings: Value = config.get('cloud-config') ?? null
  const yaml = settings === null ? undefined : await dumpYaml(settings, { default_flow_style: false })
  const parts = [
    ...scriptsOf(config, 'boothooks', 'cloud-boothook'),
    ...scriptsOf(config, 'scripts', 'x-shellscript'),
    ...(yaml === undefined ? [] : [{ kind: 'cloud-config', text: yaml }]),
  ].map(partText)
  const boundary = `===============${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 32)}==`
  return [
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    'MIME-Version: 1.0',
    '',
    ...parts.map((part) => `--${boundary}\n${part}`),
    `--${boundary}--`,
    '',
  ].join('\n')
}
