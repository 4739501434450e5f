// The console: a static page in dist/console, which the API serves. Its files are found by paths relative to the page, so that it works
// behind any prefix.
import { join } from 'node:path'
import { build } from 'vite'

export async function buildConsole(root: string, outDir: string): Promise<void> {
  await build({
    configFile: false,
    root: join(root, 'src', 'console'),
    base: './',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // the policy of the page allows no data: in scripts and styles
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  })
}
