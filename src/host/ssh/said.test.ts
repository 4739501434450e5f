import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { lastWords } from './said.ts'

test('what a target writes to stderr without end takes no memory without end', async () => {
  const stderr = new PassThrough()
  const said = lastWords(stderr)
  for (let i = 0; i < 100; i++) stderr.write(Buffer.alloc(10_000, 'x'))
  stderr.end('the reason')
  await new Promise((done) => stderr.once('end', done))
  expect(said()).toHaveLength(64 << 10)
  expect(said()).toMatch(/xthe reason$/)
})
