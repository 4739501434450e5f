// State modules that allow several functions in one ID. Salt allows that for none of its modules and has none of these,
// so no existing tree changes its meaning. Such a key stays whole in high data: `k8s.secret_present`.

const SEVERAL_PER_ID: ReadonlySet<string> = new Set(['k8s'])

/** Return whether an ID may have further functions of a module. */
export const mayRepeat = (module: string): boolean => SEVERAL_PER_ID.has(module)

/** Return the module and the function of a key that stayed whole; undefined for any other key. */
export function wholeKey(key: string): { module: string; fun: string } | undefined {
  const dot = key.indexOf('.')
  return dot > 0 && mayRepeat(key.slice(0, dot)) ? { module: key.slice(0, dot), fun: key.slice(dot + 1) } : undefined
}
