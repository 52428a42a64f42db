//! Resources under the suite for subsystems: loads, packages, reloads.

use std::fs;

use loligo_compiler::{Compilers, Project, Threads};
use loligo_ids::id64;
use loligo_resources::{DataFolder, ResourceKey, Resources};

use crate::subsystems::conforms;

const DOOR: ResourceKey = ResourceKey::new("config", "units/door");
const EXIT: ResourceKey = ResourceKey::new("data", "exit");

#[test]
fn resources_conform() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let (sources, data) = (place.path().join("sources"), place.path().join("data"));
    fs::create_dir_all(sources.join("units")).expect("it may be made");
    for (name, contents) in [
        ("units/door.config", "width = 0.9"),
        ("units/wall.config", "width = 4"),
        ("exit.data", "EXIT"),
        ("exit.fr.data", "SORTIE"),
        ("level.package", "config = [ \"units/*\" ]\ndata = [ \"exit\" ]"),
    ] {
        fs::write(sources.join(name), contents).expect("it may be written");
    }
    let compilers = Compilers::built_in();
    let report = Project::new(&sources, &data, &compilers).compile(&Threads::default());
    assert_eq!(report.expect("it can be written").errors, [], "nothing is wrong");

    let folder = DataFolder::new(&data).expect("UTF-8");
    conforms(|watch| {
        let state = |resources: &Resources<'_>| {
            assert_eq!(resources.validate(), Ok(()), "it is whole");
            let loaded = resources.iter().map(|one| (one.key(), resources.count(one.key())));
            let order = resources.preference_order().to_vec();
            (loaded.collect::<Vec<_>>(), order, resources.table().entries().len())
        };
        let open = |memory| Resources::try_open_in(folder, memory);
        let mut resources = watch.make(open, state)?;
        resources.call(|resources| resources.try_expect_version(id64!("data"), 1))?;
        let order = [id64!("hd"), id64!("fr")];
        resources.call(|resources| resources.try_set_preference_order(&order, &mut |_| {}))?;
        resources.call(|resources| resources.load(DOOR))?;
        resources.call(|resources| resources.load(DOOR))?;
        resources.call(|resources| resources.load_package("level"))?;
        resources.call(|resources| resources.load_package("level"))?;
        let exit = resources.get(EXIT).map(|exit| exit.payload().to_vec());
        assert_eq!(exit.as_deref(), Some(&b"SORTIE"[..]), "the variant that is preferred");
        resources.call(|resources| resources.reload(&mut |_| {}))?;
        resources.change(|resources| resources.unload_package("level"))?;
        resources.change(|resources| resources.unload_package("level"))?;
        resources.change(|resources| resources.unload(DOOR))?;
        Ok(())
    });
}
