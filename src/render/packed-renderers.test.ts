import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { encodeMsgpack, encodeText, fromPlain, toPlain, type Value } from '../data/mod.ts'
import { renderFile, renderText } from './pipeline.ts'
import type { FunctionSource } from './salt-functions.ts'

const nothing = { opts: new Map(), grains: new Map(), pillar: new Map() }

const functions: FunctionSource = {
  has: (name) => name === 'nacl.dec',
  hasModule: () => true,
  names: () => ['nacl.dec'],
  call: (_name, [box]) => encodeText(`opened ${String(box)}`),
}

it.each<[string, string, Value]>([
  [
    'in data',
    '#!yaml|nacl\na: NACL[abc=]\nb: [x, {c: "NACL[d]"}]\n',
    { a: 'opened abc=', b: ['x', { c: 'opened d' }] } as never,
  ],
  ['in a block of YAML', '#!yaml|nacl\na: |\n  NACL[abc]\n', { a: 'opened abc' } as never],
  ['but not within a text', '#!yaml|nacl\na: see NACL[abc]\n', { a: 'see NACL[abc]' } as never],
])('nacl opens boxes %s', async (_, text, shown) => {
  expect(toPlain((await renderText(text, { ...nothing, functions })).value)).toEqual(shown)
})

it('nacl says that it cannot open a box without its function', async () => {
  await expect(renderText('#!yaml|nacl\na: NACL[abc]\n', nothing)).rejects.toThrow('nacl.dec')
})

it('msgpack reads what was packed, from a file with a shebang line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-msgpack-'))
  try {
    const data = { web: { 'file.managed': [{ name: '/etc/motd' }, { mode: 420 }, { text: 'é\r\n' }] } }
    const file = join(folder, 'init.sls')
    writeFileSync(file, Buffer.concat([Buffer.from('#!msgpack\n'), encodeMsgpack(fromPlain(data), 'wire')]))
    expect(toPlain((await renderFile(file, nothing)).value)).toEqual(data)
    writeFileSync(file, Buffer.from('#!msgpack\n\xc1', 'latin1'))
    await expect(renderFile(file, nothing)).rejects.toThrow('Cannot load msgpack')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
