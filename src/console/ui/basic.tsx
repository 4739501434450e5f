// The small components that all views use.
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import type { Problem } from '../api/client.ts'
import { ago, exactTime, shortTime } from '../format.ts'
import { Icon, type IconName } from './icons.tsx'
import { toast } from './toasts.tsx'

export type Tone = 'ok' | 'changed' | 'failed' | 'info' | 'quiet'

type ButtonProps = Omit<JSX.IntrinsicElements['button'], 'icon'> & {
  kind?: 'primary' | 'danger' | 'plain' | undefined
  icon?: IconName
  small?: boolean
  /** Why the button cannot be used; it is disabled then and says so. */
  refusal?: string | undefined
}

export function Button({ kind, icon, small = false, refusal, children, title, disabled, ...rest }: ButtonProps) {
  const isBare = children === undefined
  const names = ['button', kind, small && 'small', isBare && 'icon'].filter(Boolean).join(' ')
  return (
    <button
      type="button"
      {...rest}
      class={names}
      disabled={disabled || refusal !== undefined}
      title={refusal ?? title}
      {...(isBare && { 'aria-label': title as string })}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

/** A link that looks like a button. */
export const LinkButton = ({
  href,
  icon,
  kind,
  children,
}: {
  href: string
  icon?: IconName
  kind?: 'primary'
  children: ComponentChildren
}) => (
  <a class={['button', kind].filter(Boolean).join(' ')} href={href}>
    {icon && <Icon name={icon} />}
    {children}
  </a>
)

/** A small coloured word; the word and the colour have the same meaning. */
export const Badge = ({
  tone = 'quiet',
  title,
  children,
}: {
  tone?: Tone
  title?: string
  children: ComponentChildren
}) => (
  <span class="badge" data-tone={tone} title={title}>
    {children}
  </span>
)

/** A labelled control. `children` gets the id to put on the control. */
export function Field({
  label,
  hint,
  wrong,
  children,
}: {
  label: ComponentChildren
  hint?: ComponentChildren
  wrong?: string | undefined
  children: (ids: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ComponentChildren
}) {
  const id = useId()
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': wrong !== undefined })}
      <span id={`${id}-hint`} class={wrong ? 'wrong' : 'hint'}>
        {wrong ?? hint}
      </span>
    </div>
  )
}

/** A filter field. `/` moves the cursor to the first one of a view. */
export const Search = ({
  value,
  onInput,
  label,
  wide = true,
}: {
  value: string
  onInput(text: string): void
  label: string
  wide?: boolean
}) => (
  <input
    class={wide ? 'input wide' : 'input'}
    type="search"
    data-search
    value={value}
    placeholder={label}
    aria-label={label}
    autocomplete="off"
    spellcheck={false}
    onInput={(event) => onInput(event.currentTarget.value)}
  />
)

export const Select = ({
  value,
  options,
  label,
  onChange,
}: {
  value: string
  /** Values, or pairs of a value and its text. */
  options: ReadonlyArray<string | readonly [value: string, text: string]>
  label: string
  onChange(value: string): void
}) => (
  <select class="select" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
    {options.map((option) => {
      const [each, text] = typeof option === 'string' ? [option, option] : option
      return (
        <option key={each} value={each}>
          {text}
        </option>
      )
    })}
  </select>
)

export const Check = ({
  checked,
  label,
  onChange,
}: {
  checked: boolean
  label: ComponentChildren
  onChange(checked: boolean): void
}) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
    {label}
  </label>
)

/** A part of a page with a title. */
export const Card = ({
  title,
  actions,
  flush = false,
  children,
}: {
  title?: ComponentChildren
  actions?: ComponentChildren
  /** Without space around the content, for tables. */
  flush?: boolean
  children: ComponentChildren
}) => (
  <section class="card">
    {title !== undefined && (
      <header>
        <h2>{title}</h2>
        {actions}
      </header>
    )}
    <div class={flush ? '' : 'body'}>{children}</div>
  </section>
)

/** A view: title, actions and content. `full` lets a table fill the height. */
export function View({
  title,
  crumb,
  actions,
  full = false,
  isLoading = false,
  children,
}: {
  title: string
  /** The parent of the title, with a link to its list. */
  crumb?: { text: string; href: string }
  actions?: ComponentChildren
  full?: boolean
  isLoading?: boolean
  children: ComponentChildren
}) {
  useEffect(() => {
    document.title = `${title} · Brine`
  }, [title])
  return (
    <div class={full ? 'view full' : 'view'} aria-busy={isLoading}>
      <div class="view-head">
        <h1>
          {crumb && (
            <span class="crumb">
              <a href={crumb.href}>{crumb.text}</a> /{' '}
            </span>
          )}
          {title}
        </h1>
        {actions}
      </div>
      {isLoading && <span class="loading" role="progressbar" aria-label="Loading" />}
      {children}
    </div>
  )
}

/** Tabs as links, so that the address contains the open one. */
export const Tabs = ({
  tabs,
  active,
  href,
}: {
  tabs: ReadonlyArray<readonly [id: string, title: ComponentChildren]>
  active: string
  href(id: string): string
}) => (
  <nav class="tabs" aria-label="Parts of this page">
    {tabs.map(([id, title]) => (
      <a key={id} href={href(id)} aria-current={id === active ? 'page' : undefined}>
        {title}
      </a>
    ))}
  </nav>
)

const TICK_MS = 10_000

/** A time, how long ago or as a clock, with the exact value on hover. */
export function Time({ at, relative = false }: { at: string | null | undefined; relative?: boolean }) {
  const [, tick] = useState(0)
  useEffect(() => {
    if (!relative) return undefined
    const timer = setInterval(() => tick((turn) => turn + 1), TICK_MS)
    return () => clearInterval(timer)
  }, [relative])
  if (!at) return <span class="muted">–</span>
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relative ? ago(at) : shortTime(at)}
    </time>
  )
}

/** The message for empty content, and possible actions. */
export const Empty = ({ title, children }: { title: string; children?: ComponentChildren }) => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
)

/** A message in the flow of the page. */
export const Notice = ({ tone = 'info', children }: { tone?: Tone; children: ComponentChildren }) => (
  <div class="notice" data-tone={tone} role={tone === 'failed' ? 'alert' : 'status'}>
    {children}
  </div>
)

/** An error message, with the fields that the server names, and a retry button. */
export const ProblemNotice = ({ problem, retry }: { problem: Problem; retry?: () => unknown }) => (
  <Notice tone="failed">
    <span class="grow">
      {problem.message}
      {problem.status === 403 && '. Ask whoever keeps external_auth of the master for this right.'}
      {problem.fields.map(({ field, reason }) => (
        <span key={field} class="small">
          {' '}
          {field}: {reason}
        </span>
      ))}
    </span>
    {retry && problem.isPassing && <Button onClick={() => void retry()}>Try again</Button>}
  </Notice>
)

/** Copy a text, and say that it was copied. */
export async function copy(text: string, what = 'Copied'): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // pages without TLS have no clipboard: the old way
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
  toast(what)
}

/** A menu that a button opens. Items are buttons and links. */
export function Menu({
  label,
  icon,
  children,
}: {
  label: ComponentChildren
  icon?: IconName
  children: ComponentChildren
}) {
  const [isOpen, open] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return undefined
    const leave = (event: Event): void => {
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !box.current?.contains(event.target as Node))
        open(false)
    }
    addEventListener('pointerdown', leave)
    addEventListener('keydown', leave)
    return () => {
      removeEventListener('pointerdown', leave)
      removeEventListener('keydown', leave)
    }
  }, [isOpen])
  return (
    <div class="menu" ref={box}>
      <Button {...(icon && { icon })} kind="plain" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
        {label}
      </Button>
      {isOpen && (
        <div class="items" onClick={() => open(false)}>
          {children}
        </div>
      )}
    </div>
  )
}

/** Ways to take something along: a command line, JSON, the link of the page. */
export const CopyMenu = ({ items }: { items: ReadonlyArray<readonly [name: string, text: () => string]> }) => (
  <Menu label="Copy" icon="copy">
    {items.map(([name, text]) => (
      <button type="button" key={name} onClick={() => void copy(text(), `${name} copied`)}>
        {name}
      </button>
    ))}
  </Menu>
)
