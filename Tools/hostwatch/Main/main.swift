import ArgumentParser
import Hostwatch

HostwatchCommand.main()
