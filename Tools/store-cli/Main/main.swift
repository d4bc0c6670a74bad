import StoreCommands

StoreCommandLine.main()
