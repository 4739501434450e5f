// The address of the page. All choices of the user are in the part behind `#`: `#/minions/web1?tab=grains`. The server
// does not see it, and the page works behind any path prefix.
import { computed, signal } from '@preact/signals'

export interface Route {
  /** The parts of the path, decoded. */
  path: readonly string[]
  query: URLSearchParams
}

/** The values that parameters get; null and '' remove one. */
export type Params = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Read the part of an address behind `#`. */
export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s)
  const parts = path.split('/').filter((part) => part !== '')
  return { path: parts.map(decoded), query: new URLSearchParams(query) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // a percent sign typed by a user
    return part
  }
}

/** Write the address of a page of the console, for links. */
export function href(path: readonly string[] | string, params: Params = {}): string {
  const parts = typeof path === 'string' ? path.split('/').filter(Boolean) : path.map(encodeURIComponent)
  const query = withParams(new URLSearchParams(), params).toString()
  return `#/${parts.join('/')}${query === '' ? '' : `?${query}`}`
}

function withParams(query: URLSearchParams, params: Params): URLSearchParams {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(params)) {
    if (value === null || value === undefined || value === '' || value === false) next.delete(name)
    else next.set(name, String(value))
  }
  return next
}

const current = signal<Route>(readRoute(location.hash))

/** The address that is shown. Components that read it are drawn again when it changes. */
export const route = computed(() => current.value)

addEventListener('hashchange', () => {
  current.value = readRoute(location.hash)
})

/** Go to another page. */
export function navigate(target: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', target)
  else history.pushState(null, '', target)
  current.value = readRoute(target)
}

/** Return the value of a parameter of the address. */
export const param = (name: string, usual = ''): string => current.value.query.get(name) ?? usual

/** Change parameters of the address and keep the others; typing replaces the entry in the history. */
export function setParams(params: Params, { replace = true } = {}): void {
  // a link that was followed a moment ago has changed the address, and its event may be still to come
  const { path, query } = readRoute(location.hash)
  const text = withParams(query, params).toString()
  navigate(`#/${path.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`, { replace })
}

/** The whole address of the page, to copy. */
export const pageLink = (): string => location.href
