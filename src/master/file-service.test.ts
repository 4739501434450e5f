import { expect, test } from 'vitest'
import { type Dict, fromPlain } from '../data/mod.ts'
import { MemoryHost } from '../host/mod.ts'
import { FileService } from './file-service.ts'

test('A backend that is not available is named in the log', () => {
  const lines: string[] = []
  const opts = fromPlain({ file_roots: { base: ['/srv'] }, fileserver_backend: ['roots', 'git', 'other'] }) as Dict
  new FileService(opts, new MemoryHost(), (level, text) => lines.push(`${level}: ${text}`))
  expect(lines).toEqual([
    'error: fileserver_backend: gitfs is not available; the master serves none of its files',
    'error: fileserver_backend: other is not available; the master serves none of its files',
  ])
})
