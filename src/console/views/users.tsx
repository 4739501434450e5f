import { Empty, View } from '../ui/basic.tsx'

export default function Users() {
  return (
    <View title="Users and rights">
      <Empty title="Users and rights" />
    </View>
  )
}
