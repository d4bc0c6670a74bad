import GRDB
import ModelStore

print("stub")
