// Commands to start with: templates of the master, saved ones, and the last ones.
import { useState } from 'preact/hooks'
import { type Data, read } from '../../api/client.ts'
import { useResource } from '../../live/resource.ts'
import { Button, Card, Field, ProblemNotice } from '../../ui/basic.tsx'
import { isTargetKind, parseCommand } from './command.ts'
import { forget, type Kept, kept, remember } from './history.ts'
import { runHref } from './link.ts'

type Template = Data<'/v1/templates'>['items'][number]

function templateHref({ command, target, targetType }: Template): string {
  const type = isTargetKind(targetType) ? targetType : 'glob'
  return runHref({ ...parseCommand(command), ...(target !== '' && { target, targetType: type }) })
}

const Entry = ({
  href,
  title,
  line,
  onForget,
}: {
  href: string
  title: string
  line: string
  onForget?: () => void
}) => (
  <li class="row">
    <a class="grow kept" href={href} title={line.slice(0, 500)}>
      <span class="clip">{title}</span>
      {line !== title && <span class="mono muted clip">{line}</span>}
    </a>
    {onForget && <Button small kind="plain" icon="close" title={`Forget ${title.slice(0, 80)}`} onClick={onForget} />}
  </li>
)

function Templates() {
  const { data, problem } = useResource((signal) => read('/v1/templates', { signal }), [])
  if (problem) return <ProblemNotice problem={problem} />
  if (!data || data.items.length === 0) return null
  return (
    <Card title="Templates">
      <ul class="stack kept-list">
        {data.items.map((template) => (
          <Entry
            key={template.name}
            href={templateHref(template)}
            title={template.description || template.name}
            line={[template.target, template.command].filter(Boolean).join(' ')}
          />
        ))}
      </ul>
    </Card>
  )
}

/** Saves the command of the form under a name. */
function Save({ item }: { item: Kept }) {
  const [name, type] = useState('')
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault()
        remember('saved', { ...item, title: name.trim() })
        type('')
      }}
    >
      <div class="grow">
        <Field label="Save this command as">
          {(ids) => (
            <input
              {...ids}
              class="input"
              value={name}
              maxLength={100}
              autocomplete="off"
              onInput={(event) => type(event.currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <Button type="submit" disabled={name.trim() === ''}>
        Save
      </Button>
    </form>
  )
}

/** The commands to start with. `current`: the command in the form, if there is one. */
export const Beginnings = ({ current }: { current: Kept | undefined }) => (
  <>
    <Templates />
    {(current || kept.saved.value.length > 0) && (
      <Card title="Saved">
        <div class="stack">
          <ul class="stack kept-list">
            {kept.saved.value.map((each) => (
              <Entry key={each.title} {...each} onForget={() => forget('saved', each)} />
            ))}
          </ul>
          {current && <Save item={current} />}
        </div>
      </Card>
    )}
    {kept.recent.value.length > 0 && (
      <Card title="Recent">
        <ul class="stack kept-list">
          {kept.recent.value.map((each) => (
            <Entry key={each.href} {...each} onForget={() => forget('recent', each)} />
          ))}
        </ul>
      </Card>
    )}
  </>
)
