// Users and rights: the access lists, and explanations of whether a user may take an action.
import './users/users.css'
import { type Data, read } from '../api/client.ts'
import { useResource } from '../live/resource.ts'
import { href, pageLink, param, setParams } from '../route.ts'
import { seemsAllowed, session } from '../session.ts'
import { Badge, Card, CopyMenu, Empty, Notice, ProblemNotice, Search, View } from '../ui/basic.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Question } from './users/question.tsx'
import { describeRights, rightsLine } from './users/rights.ts'

type User = Data<'/v1/users'>['items'][number]

/** Heights of the head and of a row in pixels, and the most rows that are visible at once. */
const [HEAD, ROW, MOST_ROWS] = [38, 34, 8]

const nameOf = ({ eauth, user }: User): string => `${eauth} ${user}`

const COLUMNS: Column<User>[] = [
  {
    key: 'user',
    title: 'User',
    width: 'minmax(100px, 1fr)',
    cell: ({ user, groups }) => (
      <>
        {user === '*' ? 'everybody (*)' : user} {groups && <Badge>group</Badge>}
      </>
    ),
  },
  { key: 'eauth', title: 'Checked by', width: 'minmax(80px, 140px)', cell: ({ eauth }) => eauth },
  {
    key: 'rights',
    title: 'Rights',
    width: 'minmax(80px, 3fr)',
    cell: ({ permissions }) => <span title={rightsLine(permissions)}>{rightsLine(permissions)}</span>,
  },
]

function Rights({ title, permissions }: { title: string; permissions: readonly unknown[] }) {
  const rights = describeRights(permissions)
  return (
    <Card
      title={title}
      actions={
        <CopyMenu
          items={[
            ['JSON', () => JSON.stringify(permissions, null, 2)],
            ['Link', pageLink],
          ]}
        />
      }
    >
      {rights.length === 0 ? (
        <p class="muted">No right at all.</p>
      ) : (
        <dl class="facts">
          {rights.map(({ scope, functions }, at) => [
            <dt key={`scope ${at}`}>{scope}</dt>,
            <dd key={`functions ${at}`} class="users-rights">
              {functions.map((name, index) => (
                <code key={index}>{name}</code>
              ))}
            </dd>,
          ])}
        </dl>
      )}
    </Card>
  )
}

/** The caller's own rights, for users who may not see others. */
const Own = () => (
  <>
    <Rights title="What I may do" permissions={session.value?.permissions ?? []} />
    <Question />
  </>
)

function All() {
  const { data, problem, reload } = useResource((signal) => read('/v1/users', { signal }), [])
  const q = param('q').toLowerCase()
  const rows = (data?.items ?? []).filter((each) => q === '' || nameOf(each).toLowerCase().includes(q))
  const [user, eauth] = [param('user'), param('eauth')]
  const chosen = data?.items.find((each) => each.user === user && each.eauth === eauth)
  return (
    <>
      {problem && <ProblemNotice problem={problem} retry={reload} />}
      <div class="toolbar">
        <Search value={param('q')} label="Filter by user or system" onInput={(text) => setParams({ q: text })} />
        {user !== '' && <a href={href('users')}>My own rights</a>}
      </div>
      <div class="users-table" style={{ height: `${HEAD + Math.min(rows.length, MOST_ROWS) * ROW}px` }}>
        <Table
          label="Users"
          rows={rows}
          columns={COLUMNS}
          rowKey={nameOf}
          active={`${eauth} ${user}`}
          fill
          onOpen={(each) => setParams({ user: each.user, eauth: each.eauth })}
          empty={
            data && (
              <Empty title={q === '' ? 'No access list' : 'Nobody fits the filter'}>
                {q === '' && <p>The options external_auth and publisher_acl of the master say who may do what.</p>}
              </Empty>
            )
          }
        />
      </div>
      {user === '' ? (
        <Own />
      ) : (
        <>
          {chosen && <Rights title={`Rights of ${user} by ${eauth}`} permissions={chosen.permissions} />}
          {chosen?.groups && (
            <Notice>Ask about a member: the rights of a group count for those whom the system puts into it.</Notice>
          )}
          <Question user={user} eauth={eauth} />
        </>
      )}
    </>
  )
}

export default function Users() {
  const isAll = seemsAllowed('wheel', 'config.values')
  return (
    <View title="Users and rights">
      {isAll ? (
        <All />
      ) : (
        <>
          <Notice>The rights of others need the right to call the wheel function config.values.</Notice>
          <Own />
        </>
      )}
    </View>
  )
}
