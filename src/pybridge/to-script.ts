// TypeScript and modules of the standard as plain scripts, each line where it was.
import { transform } from 'sucrase'
import { NativeModuleError } from './native-error.ts'

/** Remove types, and turn imports and exports into calls of `require` and fields of `exports`. */
export function toScript(text: string, path: string): string {
  const isTyped = /\.[cm]?ts$/.test(path)
  if (isTyped) refuseNamespaces(text, path)
  return transform(text, {
    transforms: isTyped ? ['typescript', 'imports'] : ['imports'],
    filePath: path,
    disableESTransforms: true,
  }).code
}

/** Throw for namespaces: sucrase would drop them silently, as if they contained only types. */
function refuseNamespaces(text: string, path: string): void {
  const found = /^[ \t]*(?:export[ \t]+)?namespace[ \t]+[\w$.]+[ \t]*\{/m.exec(text)
  if (!found) return
  const line = text.slice(0, found.index).split('\n').length
  throw new NativeModuleError(path, line, 'A namespace cannot be used here: export from a file of its own instead')
}
